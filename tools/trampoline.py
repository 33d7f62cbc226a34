"""Write src/steiner/backends/llvm/trampoline.s: what LLVM makes of trampoline.ll for any 64-bit x86 under Linux."""

from __future__ import annotations

from pathlib import Path

from steiner.backends.llvm import engine, fastcall

TARGET = Path(__file__).parent.parent / "src" / "steiner" / "backends" / "llvm" / "trampoline.s"
TRIPLE = "x86_64-unknown-linux-gnu"
LEFT_OUT = (".file", ".ident", ".addrsig", '.section\t".note')


def text() -> str:
    """The file's text: where it comes from, then instructions."""
    source = fastcall.trampoline()
    version = ".".join(map(str, engine._llvm().llvm_version_info))
    head = f"# written by tools.trampoline with LLVM {version} of trampoline.ll"
    return "\n".join([f"{head}, {fastcall.identity(source)}", *instructions(source), ""])


def instructions(source: str) -> list[str]:
    """Those of a text, without what only debuggers and linkers read."""
    llvm = engine._llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="x86-64", opt=2, reloc="pic", codemodel="small", jit=True)
    emitted = machine.emit_assembly(llvm.parse_assembly(source))
    lines = [line.partition("#")[0].rstrip() for line in emitted.splitlines()]
    return [line for line in lines if line and not line.strip().startswith(LEFT_OUT)]


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
