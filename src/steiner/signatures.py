"""Methods that the table of algorithms gives to `Robot`, for type checkers; see tools/signatures.py."""

from __future__ import annotations

from typing import Any


class Signatures:
    """Declarations only: at run time the methods are those of `steiner.methods`."""

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, *, external: Any = None, friction: Any = True, out: Any = None,
    ) -> Any:
        """Joint efforts that give the accelerations q̈ at the state (q, q̇)."""

    def rnea(self, q: Any, qd: Any, qdd: Any, *, external: Any = None, friction: Any = True, out: Any = None) -> Any:
        """Joint efforts that give the accelerations q̈ at the state (q, q̇)."""

    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, *, external: Any = None, friction: Any = True, out: Any = None,
    ) -> Any:
        """Accelerations q̈ that the efforts τ give at the state (q, q̇); the inverse of `inverse_dynamics`."""

    def aba(self, q: Any, qd: Any, tau: Any, *, external: Any = None, friction: Any = True, out: Any = None) -> Any:
        """Accelerations q̈ that the efforts τ give at the state (q, q̇); the inverse of `inverse_dynamics`."""

    def mass_matrix(self, q: Any, *, out: Any = None) -> Any:
        """M(q), symmetric positive definite; column i is the momentum per unit rate of joint i."""

    def crba(self, q: Any, *, out: Any = None) -> Any:
        """M(q), symmetric positive definite; column i is the momentum per unit rate of joint i."""

    def coriolis_matrix(self, q: Any, qd: Any, *, out: Any = None) -> Any:
        """C(q, q̇) of the Christoffel symbols: C q̇ are the velocity terms and Ṁ − 2C is skew-symmetric."""

    def velocity_forces(self, q: Any, qd: Any, *, out: Any = None) -> Any:
        """V(q, q̇) = C q̇: centrifugal and Coriolis efforts, quadratic in the rates."""

    def gravity_forces(self, q: Any, *, out: Any = None) -> Any:
        """g(q) = ∂P/∂q: the efforts that hold the arm still."""

    def bias_forces(self, q: Any, qd: Any, *, out: Any = None) -> Any:
        """C q̇ + g, without friction: the efforts that let the arm coast at q̈ = 0."""

    def friction_forces(self, q: Any, qd: Any, *, out: Any = None) -> Any:
        """Efforts that overcome the joints' friction at the rates q̇."""

    def christoffel(self, q: Any, *, out: Any = None) -> Any:
        """Christoffel symbols b[i, j, k] = ½(∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i); V_i = Σ b_ijk q̇_j q̇_k."""

    def centrifugal_coriolis(self, q: Any, *, out: Any = None) -> Any:
        """C(q) that multiplies q̇ⱼ² and B(q) that multiplies q̇ⱼq̇ₖ, j < k: C_ij = b_ijj, B_i,jk = 2 b_ijk."""

    def torque_breakdown(
        self, q: Any, qd: Any, qdd: Any, *, external: Any = None, friction: Any = True, by: Any = 'source', out: Any
        = None,
    ) -> Any:
        """τ in named shares that sum to it."""

    def newton_euler(
        self, q: Any, qd: Any, qdd: Any, *, external: Any = None, base: Any = None, out: Any = None,
    ) -> Any:
        """All of the outward pass (ω, ω̇, v̇, v̇_C, F, N) and of the inward pass (f, n), per moving link."""

    def forward_kinematics(self, q: Any, link: Any = None, *, out: Any = None) -> Any:
        """Pose of a link in the world, p_world = R p_link + p; of every link, by name, if none is named."""

    def jacobian(self, q: Any, link: Any = None, frame: Any = 'space', point: Any = None, *, out: Any = None) -> Any:
        """6×n Jacobian of a link (the last by default), angular rows first: twist = J q̇."""

    def kinetic_energy(self, q: Any, qd: Any, per_link: Any = False, *, out: Any = None) -> Any:
        """K = ½ q̇ᵀ M q̇ as the sum of ½ m v_C² + ½ ωᵀ I_C ω over the bodies, and of the rotors; J."""

    def potential_energy(self, q: Any, per_link: Any = False, *, out: Any = None) -> Any:
        """P = −Σ m g·p_C over all links and payloads, zero at the world's origin; J."""

    def center_of_mass(self, q: Any, *, out: Any = None) -> Any:
        """Centre of mass of everything, base and payloads included, in the world; m."""

    def momentum(self, q: Any, qd: Any, about: Any = 'origin', *, out: Any = None) -> Any:
        """Angular momentum about the world's origin (or the centre of mass) and linear momentum, world axes: [...]"""

    def joint_reactions(self, q: Any, qd: Any, qdd: Any, *, external: Any = None, out: Any = None) -> Any:
        """Moment and force that every moving joint carries, bearings and motor together (6 numbers each)."""

    def static_torque(
        self, q: Any, *, exerted_by_robot: Any = None, external: Any = None, gravity: Any = True, out: Any = None,
    ) -> Any:
        """Efforts in equilibrium: JᵀF for a wrench that the robot exerts, −JᵀF for an external one, plus g(q)."""

    def inverse_dynamics_derivatives(
        self, q: Any, qd: Any, qdd: Any, *, friction: Any = True, out: Any = None,
    ) -> Any:
        """∂τ/∂q, ∂τ/∂q̇ and M = ∂τ/∂q̈ of `inverse_dynamics`; ∂τ/∂q̇ is 2C plus the slope of the friction."""

    def forward_dynamics_derivatives(
        self, q: Any, qd: Any, tau: Any, *, friction: Any = True, out: Any = None,
    ) -> Any:
        """∂q̈/∂q = −M⁻¹ ∂τ/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇ and M⁻¹ = ∂q̈/∂τ, at the accelerations that τ gives."""

    def regressor(self, q: Any, qd: Any, qdd: Any, *, out: Any = None) -> Any:
        """Y with τ = Y π: ten columns per moving body, in the frame of its moving link."""
