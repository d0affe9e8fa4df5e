"""A Slurm cluster of one node on this machine, for as long as a test needs it."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Say why no cluster can be started here; empty if one can."""
    if lacking := [name for name in PROGRAMS if not _program(name)]:
        return f"no {', '.join(lacking)}: install slurm-wlm and munge (Debian's names)"
    return "" if os.geteuid() == 0 else "the daemons of Slurm start as root only"


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Start munge and Slurm with all their files in a folder; give the variables that name them."""
    folder.mkdir(mode=0o755)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    host = socket.gethostname().partition(".")[0]
    settings = folder / "slurm.conf"
    settings.write_text(CONFIGURATION.format(folder=folder, host=host, ports=_free_ports(2)))
    variables = {"SLURM_CONF": str(settings)}
    with ExitStack() as daemons:
        for line in (
            ["munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
             f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid",
             f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log"],
            ["slurmctld", "-D", "-f", str(settings)],
            ["slurmd", "-D", "-f", str(settings), "-N", host],
        ):  # fmt: skip
            daemons.enter_context(_daemon(line, variables))
            if line[0] == "munged":
                _until((folder / "munge.socket").exists)
        _until(lambda: "idle" in said("sinfo", "--noheader", "-o", "%t", variables=variables))
        yield variables


@contextmanager
def _daemon(line: list[str], variables: dict[str, str]) -> Iterator[None]:
    program = _program(line[0])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([program, *line[1:]], env=os.environ | variables, **quiet) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def said(*line: str, variables: dict[str, str]) -> str:
    """Return what a command of Slurm prints; nothing while the daemons do not answer."""
    program = _program(line[0])
    done = subprocess.run([program, *line[1:]], capture_output=True, text=True, env=os.environ | variables, timeout=30)
    return done.stdout


def job_of(process: int) -> str:
    """Return the number of the job that a process belongs to."""
    variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    (number,) = (v for v in variables if v.startswith(b"SLURM_JOB_ID="))
    return number.partition(b"=")[2].decode()


def _until(condition, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain for a daemon of Slurm"
        time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]
