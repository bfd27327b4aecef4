//! A Slurm cluster of our own on this machine: one controller and some nodes, on loopback, without systemd.
//!
//! Everything it keeps lies in a folder of its own, every port is one that was free, and every process is stopped when
//! the cluster is dropped, however the test ends. It does not matter what the machine's name resolves to, as the
//! controller and the nodes are given their addresses.

#![expect(clippy::disallowed_methods, reason = "a cluster of processes is waited for by the clock")]

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The programs that a cluster is made of, as paths.
pub(crate) struct Programs {
    pub(crate) munged: PathBuf,
    pub(crate) slurmctld: PathBuf,
    pub(crate) slurmd: PathBuf,
}

/// A running cluster.
pub(crate) struct Cluster {
    room: PathBuf,
    nodes: Vec<(String, Child)>,
    /// The controller and the authentication daemon, in the order in which they are stopped.
    others: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster that keeps its state in `room`, and waits until all of its nodes are idle.
    pub(crate) fn start(room: &Path, programs: &Programs, nodes: usize, cpus: usize) -> Cluster {
        for folder in ["munge", "state", "log", "pid"] {
            fs::create_dir_all(room.join(folder)).unwrap();
        }
        let mut cluster = Cluster { room: room.to_owned(), nodes: Vec::new(), others: Vec::new() };
        cluster.start_munge(&programs.munged);
        fs::write(cluster.settings(), text_of_settings(room, nodes, cpus)).unwrap();
        let mut controller = cluster.daemon(&programs.slurmctld, "slurmctld");
        cluster.others.insert(0, controller.args(["-D", "-c"]).spawn().unwrap());
        for name in (1..=nodes).map(|nth| format!("n{nth}")) {
            fs::create_dir_all(room.join(format!("spool.{name}"))).unwrap();
            let mut daemon = cluster.daemon(&programs.slurmd, &format!("slurmd.{name}"));
            daemon.args(["-D", "-N", &name]);
            cluster.nodes.push((name, daemon.spawn().unwrap()));
        }
        let listed = cluster.wait_for(Duration::from_secs(60), |cluster| {
            let listed = cluster.ask("sinfo", &["-h", "-N", "-t", "idle", "-o", "%N"]);
            listed.lines().count() == nodes
        });
        assert!(listed, "the nodes did not come up:\n{}", cluster.logs());
        cluster
    }

    /// A command whose Slurm is this cluster.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        self.set(&mut command);
        command
    }

    /// Lets a command use this cluster.
    pub(crate) fn set<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SLURM_CONF", self.settings())
    }

    /// What a program of Slurm's prints; empty if it fails.
    pub(crate) fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The nodes that run something now.
    pub(crate) fn busy_nodes(&self) -> Vec<String> {
        let listed = self.ask("squeue", &["-h", "-t", "running", "-o", "%N"]);
        let mut busy: Vec<String> = listed.lines().map(str::to_owned).collect();
        busy.sort();
        busy.dedup();
        busy
    }

    /// Kills a node at once: its daemon and whatever runs on it.
    pub(crate) fn kill(&mut self, node: &str) {
        let nth = self.nodes.iter().position(|(name, _)| name == node).expect("a node of the cluster");
        let mut daemon = self.nodes.remove(nth).1;
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        let stopped = self.wait_for(Duration::from_secs(10), |cluster| {
            let left = cluster.processes(Some(node));
            send("KILL", &left);
            left.is_empty()
        });
        assert!(stopped, "what runs on {node} does not die");
    }

    /// Waits until a condition holds; whether it did in time.
    pub(crate) fn wait_for(&self, limit: Duration, holds: impl Fn(&Cluster) -> bool) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if holds(self) {
                return true;
            }
            sleep(Duration::from_millis(100));
        }
        false
    }

    /// What the daemons have logged, for a test that fails.
    pub(crate) fn logs(&self) -> String {
        let mut text = String::new();
        for entry in fs::read_dir(self.room.join("log")).unwrap() {
            let path = entry.unwrap().path();
            let log = fs::read(&path).unwrap_or_default();
            let tail = String::from_utf8_lossy(&log[log.len().saturating_sub(3_000)..]).into_owned();
            text += &format!("--- {}\n{tail}\n", path.display());
        }
        text
    }

    fn settings(&self) -> PathBuf {
        self.room.join("slurm.conf")
    }

    /// Starts the authentication daemon, with a key and a socket that only this cluster uses.
    fn start_munge(&mut self, munged: &Path) {
        let file = |name: &str| self.room.join("munge").join(name);
        let mut key = [0; 128];
        fs::File::open("/dev/urandom").unwrap().read_exact(&mut key).unwrap();
        fs::write(file("key"), key).unwrap();
        fs::set_permissions(file("key"), std::os::unix::fs::PermissionsExt::from_mode(0o400)).unwrap();
        let mut daemon = self.daemon(munged, "munged");
        daemon.args(["--foreground", "--force", "--origin=127.0.0.1"]);
        for (option, path) in [
            ("--key-file", file("key")),
            ("--socket", file("socket")),
            ("--seed-file", file("seed")),
            ("--pid-file", self.room.join("pid/munged")),
        ] {
            daemon.arg(format!("{option}={}", path.display()));
        }
        self.others.push(daemon.spawn().unwrap());
        let socket = file("socket");
        assert!(self.wait_for(Duration::from_secs(20), |_| socket.exists()), "no munge:\n{}", self.logs());
    }

    /// A daemon of the cluster, yet to be started, that logs to a file.
    fn daemon(&self, program: &Path, name: &str) -> Command {
        let log = fs::File::create(self.room.join("log").join(format!("{name}.out"))).unwrap();
        let mut command = self.command(program);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        command
    }

    /// The ids of the processes of this cluster; of a node, its jobs' and those of the steps that watch them.
    fn processes(&self, node: Option<&str>) -> Vec<u32> {
        let settings = format!("SLURM_CONF={}", self.settings().display());
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let has = |wanted: &str| environment.split(|&byte| byte == 0).any(|one| one == wanted.as_bytes());
            // A job is told which node it is on; a step is not, but it logs where its node does.
            let is_there = |node: &str| {
                has(&format!("SLURMD_NODENAME={node}")) || self.logs_for(node, &entry.path().join("fd"))
            };
            if id != std::process::id() && has(&settings) && node.is_none_or(is_there) {
                found.push(id);
            }
        }
        found
    }

    /// Whether a process, given by the folder of its open files, writes to the log of a node.
    fn logs_for(&self, node: &str, files: &Path) -> bool {
        let log = self.room.join("log").join(format!("slurmd.{node}"));
        let Ok(files) = fs::read_dir(files) else { return false };
        files.filter_map(Result::ok).any(|file| fs::read_link(file.path()).is_ok_and(|target| target == log))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Jobs first, or the nodes would wait for them; the authentication daemon last, as the others need it to stop.
        let daemons = self.nodes.iter_mut().map(|(_, daemon)| daemon).chain(&mut self.others);
        let daemons: Vec<&mut Child> = daemons.collect();
        for daemon in daemons {
            send("TERM", &[daemon.id()]);
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(5) && matches!(daemon.try_wait(), Ok(None)) {
                sleep(Duration::from_millis(20));
            }
            let _gone = daemon.kill();
            let _gone = daemon.wait();
        }
        send("KILL", &self.processes(None));
    }
}

/// Sends a signal to processes; those that are gone already are no concern.
fn send(signal: &str, processes: &[u32]) {
    if !processes.is_empty() {
        let ids = processes.iter().map(u32::to_string);
        let _gone = Command::new("kill").args(["-s", signal]).args(ids).stderr(Stdio::null()).status();
    }
}

/// `slurm.conf`: what notices a dead node within seconds, and needs neither root's daemons nor control groups.
fn text_of_settings(room: &Path, nodes: usize, cpus: usize) -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let name = name.trim().split('.').next().unwrap();
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    let user = user.trim();
    let room = room.display();
    // Held all at once, so that no port is given twice.
    let free: Vec<TcpListener> = (0..=nodes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let ports: Vec<u16> = free.iter().map(|socket| socket.local_addr().unwrap().port()).collect();
    // Slurm finds out by the machine's name what loopback is, and takes every address where that name is unknown.
    let is_known =
        (name, 0).to_socket_addrs().is_ok_and(|mut found| found.any(|address| address.ip().is_loopback()));
    let listening = if is_known { "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n" } else { "" };
    let mut text = format!(
        "ClusterName=simnet
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={}
{listening}AuthType=auth/munge
AuthInfo=socket={room}/munge/socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={room}/state
SlurmdSpoolDir={room}/spool.%n
SlurmctldPidFile={room}/pid/slurmctld
SlurmdPidFile={room}/pid/slurmd.%n
SlurmctldLogFile={room}/log/slurmctld
SlurmdLogFile={room}/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000,batch_sched_delay=0
SlurmctldTimeout=30
SlurmdTimeout=3
MessageTimeout=3
TCPTimeout=1
KillWait=2
MinJobAge=3600
InactiveLimit=0
ReturnToService=2
JobRequeue=1
MaxArraySize=9
",
        ports[0],
    );
    for (nth, port) in (1..).zip(&ports[1..]) {
        text += &format!(
            "NodeName=n{nth} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} State=UNKNOWN\n"
        );
    }
    text + &format!("PartitionName=main Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE State=UP\n")
}
