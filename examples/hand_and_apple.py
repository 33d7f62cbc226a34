"""A hand that holds an apple: what the force-torque sensor between arm and hand feels, in frames by name.

Frame {f} is at the sensor, {h} at the hand's centre of mass, {a} at the apple's; gravity pulls along −y of {f} and {h},
along z of {a}.
"""

import numpy as np

import steiner as st

L1, L2 = 0.10, 0.15  # m
hand, apple, g = 0.5, 0.1, 10.0  # kg, kg, m/s²

f = st.Frame("f")
h = st.Frame("h", st.Pose(p=(L1, 0, 0)), of=f)
a = st.Frame("a", st.Pose([[1, 0, 0], [0, 0, -1], [0, 1, 0]], (L1 + L2, 0, 0)), of=f)

F_h = st.Wrench(force=(0, -hand * g, 0), frame=h)
F_a = st.Wrench(force=(0, 0, apple * g), frame=a)
T_hf, T_af = h.pose_of(f), a.pose_of(f)
F_f = F_h.in_frame(f) + F_a.in_frame(f)

if __name__ == "__main__":
    print(f"F_h = {F_h}\nF_a = {F_a}")
    with np.printoptions(suppress=True):
        print(f"T_hf =\n{T_hf.matrix}\nT_af =\n{T_af.matrix}")
    print("F_f = [Ad T_hf]ᵀ F_h + [Ad T_af]ᵀ F_a")
    print(f"    = {F_h.in_frame(f)} + {F_a.in_frame(f)}")
    print(f"    = {F_f}")
    print(f"The same at the apple: {st.total_wrench([F_h, F_a], frame='a')}")
