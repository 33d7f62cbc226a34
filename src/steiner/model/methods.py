"""The robot's methods, one per row of the table of algorithms; written by `python -m tools.methods`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from steiner.doors import method

if TYPE_CHECKING:  # who loads a robot has not asked it yet
    from steiner.model.answers import (
        BaseMotion,
        Breakdown,
        JointReactions,
        NewtonEuler,
        Numbers,
        Poses,
        VelocityTerms,
    )  # fmt: skip
    from steiner.spatial import Pose, Wrench


class Methods:
    """Dynamics of a robot: numbers run compiled kernels, symbols run the same text; leading dimensions are batch."""

    @method(q="n", qd="n", qdd="n", base=9)
    def inverse_dynamics(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, external: Wrench | Sequence[Wrench] | None = None, friction:
        bool = True, base: BaseMotion | Numbers | None = None, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> np.ndarray:
        """Joint efforts that give the accelerations q̈ at the state (q, q̇).

        τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + springs + friction − Jᵀ F, with F exerted by the environment on the robot.
        `base` is a `BaseMotion` or its nine numbers (ω₀, ω̇₀, v̇₀): the base may move, by default it rests.

        Arrays: q (…, n), qd (…, n), qdd (…, n), base (…, 9); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    rnea = inverse_dynamics

    @method(q="n", qd="n", tau="n")
    def forward_dynamics(
        self, q: Numbers, qd: Numbers, tau: Numbers, *, external: Wrench | Sequence[Wrench] | None = None, friction:
        bool = True, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """Accelerations q̈ that the efforts τ give at the state (q, q̇); the inverse of `inverse_dynamics`.

        Robots with coupled joints go through the mass matrix, which folds the coupling.

        Arrays: q (…, n), qd (…, n), tau (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    aba = forward_dynamics

    @method(q="n")
    def mass_matrix(self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None) -> np.ndarray:
        """M(q), symmetric positive definite; column i is the momentum per unit rate of joint i.

        Everything outboard of a joint is welded into one body; its momentum is carried to the ground.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    crba = mass_matrix

    @method(q="n", qd="n")
    def coriolis_matrix(
        self, q: Numbers, qd: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """C(q, q̇) of the Christoffel symbols: C q̇ are the velocity terms and Ṁ − 2C is skew-symmetric.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n")
    def velocity_forces(
        self, q: Numbers, qd: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """V(q, q̇) = C q̇: centrifugal and Coriolis efforts, quadratic in the rates.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def gravity_forces(self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None) -> np.ndarray:
        """g(q): the efforts that hold the arm against gravity; springs not counted.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n")
    def bias_forces(
        self, q: Numbers, qd: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """C q̇ + g, without friction and springs: the efforts that let the arm coast at q̈ = 0.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def spring_forces(self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None) -> np.ndarray:
        """Efforts that hold the joints against their springs at q: the slope of ½ k (x − rest)².

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n")
    def friction_forces(
        self, q: Numbers, qd: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """Efforts that overcome the joints' friction at the rates q̇.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def christoffel(self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None) -> np.ndarray:
        """Christoffel symbols b[i, j, k] = ½(∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i); V_i = Σ b_ijk q̇_j q̇_k.

        For joints a ≤ c ≤ d of one chain, counted from the ground, b_acd = turn_c ∫ s_a·(z_c × s_d) dm and
        b_cad = −b_dac = turn_a z_a·∫ s_d × s_c dm over the mass outboard of d; all others vanish.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def centrifugal_coriolis(
        self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> VelocityTerms:
        """C(q) that multiplies q̇ⱼ² and B(q) that multiplies q̇ⱼq̇ₖ, j < k: C_ij = b_ijj, B_i,jk = 2 b_ijk.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", qdd="n", base=9)
    def torque_breakdown(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, external: Wrench | Sequence[Wrench] | None = None, friction:
        bool = True, by: str = "source", base: BaseMotion | Numbers | None = None, out: np.ndarray |
        tuple[np.ndarray, ...] | None = None,
    ) -> Breakdown:
        """τ in named shares that sum to it.

        by="source": inertial, centrifugal (q̇ⱼ²), coriolis (q̇ⱼq̇ₖ), gravity, friction, rotor, payload and
        external, and spring if there is one; the first four are the arm's own, payload is all that the payloads cost.
        by="link": every link's mass, its payloads with it; "element" and "part": what its assembly is made
        of, cavities negative, by path; "payload": every payload, the arm as "rest".  A link or payload whose name is
        that of another share, such as "friction", is "link friction".
        `base` as in `newton_euler`; among the sources it is a share of its own.

        Arrays: q (…, n), qd (…, n), qdd (…, n), base (…, 9); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", qdd="n", base=9)
    def newton_euler(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, external: Wrench | Sequence[Wrench] | None = None, base:
        BaseMotion | Numbers | None = None, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> NewtonEuler:
        """All of the outward pass (ω, ω̇, v̇, v̇_C, F, N) and of the inward pass (f, n), per moving link.

        `base` is a `BaseMotion` or its nine numbers (ω₀, ω̇₀, v̇₀).  tau is without rotors, springs and friction.

        Arrays: q (…, n), qd (…, n), qdd (…, n), base (…, 9); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @overload
    def forward_kinematics(
        self, q: Numbers, link: None = None, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> Poses: ...
    @overload
    def forward_kinematics(
        self, q: Numbers, link: str, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> Pose: ...
    @method(q="n")
    def forward_kinematics(
        self, q: Numbers, link: str | None = None, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> Pose | Poses:
        """Pose of a link in the world, p_world = R p_link + p; of every link, by name, if none is named.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", point=3)
    def jacobian(
        self, q: Numbers, link: str | None = None, frame: str = "space", point: Numbers | None = None, *, out:
        np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """6×n Jacobian of a link (the last by default), angular rows first: twist = J q̇.

        frame="space": the twist's linear part is at the world's origin, all along the world's axes;
        "body": at the link's origin, along the link's axes; "aligned": at the link's origin, along the
        world's axes.  `point` (in the link's frame) takes the place of the link's origin.

        Arrays: q (…, n), point (…, 3); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @overload
    def kinetic_energy(
        self, q: Numbers, qd: Numbers, per_link: Literal[False] = False, *, out: np.ndarray | tuple[np.ndarray, ...]
        | None = None,
    ) -> np.ndarray: ...
    @overload
    def kinetic_energy(
        self, q: Numbers, qd: Numbers, per_link: Literal[True], *, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> dict[str, np.ndarray]: ...
    @method(q="n", qd="n")
    def kinetic_energy(
        self, q: Numbers, qd: Numbers, per_link: bool = False, *, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> Any:
        """K = ½ q̇ᵀ M q̇ as the sum of ½ m v_C² + ½ ωᵀ I_C ω over the bodies, and of the rotors; J.

        With per_link, by link name: a payload counts with the link that carries it, a rotor with the
        link that it moves.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @overload
    def potential_energy(
        self, q: Numbers, per_link: Literal[False] = False, *, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> np.ndarray: ...
    @overload
    def potential_energy(
        self, q: Numbers, per_link: Literal[True], *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> dict[str, np.ndarray]: ...
    @method(q="n")
    def potential_energy(
        self, q: Numbers, per_link: bool = False, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> Any:
        """P = −Σ m g·p_C over all links and payloads, zero at the world's origin, and ½ k (x − rest)² of springs; J.

        With per_link, by link name: a spring counts with the link that its joint moves.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def center_of_mass(self, q: Numbers, *, out: np.ndarray | tuple[np.ndarray, ...] | None = None) -> np.ndarray:
        """Centre of mass of everything, base and payloads included, in the world; m.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n")
    def momentum(
        self, q: Numbers, qd: Numbers, about: str = "origin", *, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> np.ndarray:
        """Angular momentum about the world's origin (or the centre of mass) and linear momentum, world axes: 6 numbers.

        Reflected rotor inertias are left out: they have no axis in space.

        Arrays: q (…, n), qd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", qdd="n", base=9)
    def joint_reactions(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, external: Wrench | Sequence[Wrench] | None = None, base:
        BaseMotion | Numbers | None = None, out: np.ndarray | tuple[np.ndarray, ...] | None = None,
    ) -> JointReactions:
        """Moment and force that every moving joint carries, bearings and motor together (6 numbers each).

        At the joint's origin on its axis, along the axes of the moving link; exerted by the inboard body on
        the outboard one.  The component about (along) the axis is the effort without rotor, spring and friction.
        `base` as in `newton_euler`.

        Arrays: q (…, n), qd (…, n), qdd (…, n), base (…, 9); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n")
    def static_torque(
        self, q: Numbers, *, exerted_by_robot: Wrench | Sequence[Wrench] | None = None, external: Wrench |
        Sequence[Wrench] | None = None, gravity: bool = True, out: np.ndarray | tuple[np.ndarray, ...] | None =
        None,
    ) -> np.ndarray:
        """Efforts in equilibrium: JᵀF for a wrench that the robot exerts, −JᵀF for an external one, plus g(q).

        The springs of the joints count with g(q).  Power at the joints is power at the end effector: τᵀ q̇ = Fᵀ V.

        Arrays: q (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", qdd="n")
    def inverse_dynamics_derivatives(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, friction: bool = True, out: np.ndarray | tuple[np.ndarray,
        ...] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∂τ/∂q, ∂τ/∂q̇ and M = ∂τ/∂q̈ of `inverse_dynamics`.

        ∂τ/∂q has the stiffness of springs on its diagonal; ∂τ/∂q̇ is 2C plus the slope of the friction.

        Arrays: q (…, n), qd (…, n), qdd (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", tau="n")
    def forward_dynamics_derivatives(
        self, q: Numbers, qd: Numbers, tau: Numbers, *, friction: bool = True, out: np.ndarray | tuple[np.ndarray,
        ...] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∂q̈/∂q = −M⁻¹ ∂τ/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇ and M⁻¹ = ∂q̈/∂τ, at the accelerations that τ gives.

        The bias is ½ (2C) q̇ + g + springs: M and 2C do not depend on q̈, so a tape holds them once.

        Arrays: q (…, n), qd (…, n), tau (…, n); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...

    @method(q="n", qd="n", qdd="n", base=9)
    def regressor(
        self, q: Numbers, qd: Numbers, qdd: Numbers, *, base: BaseMotion | Numbers | None = None, out: np.ndarray |
        tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """Y with τ = Y π: ten columns per moving body, in the frame of its moving link.

        π holds per body (m, m c, I about the link's origin as xx xy yy xz yz zz).  Friction, springs and
        rotors are not in π, so Y π is τ without them.  `base` as in `newton_euler`.

        Arrays: q (…, n), qd (…, n), qdd (…, n), base (…, 9); leading dimensions are batch and broadcast.
        out= takes the result(s).
        """
        ...
