"""Catalogues of motors: units in the header, several gears in a cell, every bad cell named by line and column."""

from __future__ import annotations

import math

import pytest

import steiner as st
from steiner.analysis.motors import catalogue

HEAD = (
    "name,rated_torque [mNm],peak_torque [N m],rated_speed [rpm],max_speed (rpm),"
    "rotor_inertia [g cm^2],ratio,efficiency [%],mass [g]"
)
ROW = "small,120,0.4,3000,5000,33,50 100;160/200,80,250"


@pytest.fixture
def motors(tmp_path):
    def read(text, encoding="utf-8"):
        (tmp_path / "motors.csv").write_bytes(text.encode(encoding))
        return catalogue(tmp_path / "motors.csv")

    return read


def test_units_are_those_of_the_header(motors):
    (motor,) = motors(f"{HEAD}\n{ROW}\n\n")
    assert (motor.name, motor.rated_torque, motor.peak_torque, motor.mass) == ("small", 0.12, 0.4, 0.25)
    assert motor.rated_speed == pytest.approx(100 * math.pi) and motor.max_speed == pytest.approx(5000 * math.pi / 30)
    assert motor.rotor_inertia == pytest.approx(33e-7) and motor.efficiency == pytest.approx(0.8)
    assert motor.ratios == (50, 100, 160, 200)


def test_without_units_all_is_si_and_what_is_left_out_has_its_default(motors):
    (motor,) = motors("\ufeffName,Rated torque,peak_torque,rated_speed,max_speed,mass,ratios\na,1,2,300,400,,\n")
    assert (motor.rated_torque, motor.max_speed, motor.ratios, motor.efficiency, motor.mass) == (1, 400, (1,), 1, 0)


def test_a_cell_may_have_a_unit_of_its_own(motors):
    (motor,) = motors("name,rated_torque,peak_torque,rated_speed,max_speed\na,100 mNm,2,3000 rpm,400\n")
    assert motor.rated_torque == 0.1 and motor.rated_speed == pytest.approx(100 * math.pi)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column name, rated_torque"),
        (HEAD, "no motor in it"),
        (HEAD.replace("mNm", "mm"), "motors.csv:1: column .* 'mm' is no unit of it; expected one of Nm"),
        (HEAD.replace("mass [g]", "weight"), "motors.csv:1: no column named 'weight'"),
        (HEAD.replace("mass [g]", "name"), "column 'name' twice"),
        (HEAD.replace("ratio", "ratio [1]"), "expected none"),
        (f"{HEAD}\n{ROW},7", "motors.csv:2: 10 cells, the first line has 9"),
        (f"{HEAD}\n{ROW.replace('3000', 'fast')}", "motors.csv:2: column 'rated_speed': expected a speed"),
        (f"{HEAD}\n{ROW.replace('3000', '')}", "motors.csv:2: column 'rated_speed'"),
        (f"{HEAD}\n{ROW.replace('3000', 'nan')}", "motors.csv:2: column 'rated_speed'"),
        (f"{HEAD}\n{ROW.replace('100;', 'x;')}", "motors.csv:2: column 'ratios'"),
        (f"{HEAD}\n\n{ROW.replace('120', '1200')}", "motors.csv:3: motor 'small': rated_torque 1.2 exceeds"),
        (f'{HEAD}\n"open', "motors.csv:2: cannot be read as CSV"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(motors, text, told):
    with pytest.raises(st.SteinerError, match=told):
        motors(text)


def test_other_encodings_are_refused(motors):
    with pytest.raises(st.SteinerError, match="not UTF-8"):
        motors(f"{HEAD}\n{ROW.replace('small', 'größer')}", "latin-1")
