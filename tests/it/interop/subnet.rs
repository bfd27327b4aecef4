//! A simulated InfiniBand subnet: the real `ibsim` on a Unix socket, and real tools run against it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use support_network::{found_or_skipped, peer};

/// How long a start or a tool may take before it is killed and its test fails.
const LIMIT: Duration = Duration::from_secs(60);

/// A running `ibsim`; dropped, it is killed.
pub(crate) struct Subnet {
    _ibsim: Killed,
    socket: String,
    umad2sim: PathBuf,
}

/// A tool that runs; dropped, it is killed.
pub(crate) struct Tool {
    child: Killed,
}

impl Tool {
    /// Asks it to end, and waits until it has; killed if it takes longer than a few seconds.
    #[expect(clippy::disallowed_methods, reason = "a process is waited for by the clock")]
    pub(crate) fn end(mut self) {
        let pid = self.child.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        for _ in 0..100 {
            if !matches!(self.child.0.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// What a tool left behind.
pub(crate) struct Left {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Subnet {
    /// Starts `ibsim` on a net file and waits until it is ready; `None` where it is not installed.
    ///
    /// Panics with the output of `ibsim` if it does not take the file.
    pub(crate) fn start(net: &Path) -> Option<Subnet> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let program = peer("ibsim")?;
        let umad2sim = found_or_skipped("libumad2sim.so", umad2sim())?;
        let socket = format!("simnet-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let mut command = mortal(&program);
        command.args(["-s", "-n", "-N", "4096", "-S", "2048", "-P", "65536"]).arg(net);
        command.env("IBSIM_SOCKNAME", &socket).env_remove("IBSIM_SERVER_NAME");
        let mut ibsim = Killed::spawn(&mut command);
        let complaints = ibsim.stderr();
        let ready = ibsim.lines();
        while let Ok(line) = ready.recv_timeout(LIMIT) {
            if line.contains("simulator ready") {
                return Some(Subnet { _ibsim: ibsim, socket, umad2sim });
            }
        }
        drop(ibsim);
        panic!(
            "ibsim does not start on {}: {}",
            net.display(),
            complaints.recv_timeout(LIMIT).unwrap_or_default()
        );
    }

    /// Runs an installed tool in the subnet; `None` where it is absent. `prepare` adds arguments and
    /// environment.
    ///
    /// Panics if it takes longer than a minute.
    pub(crate) fn run(&self, tool: &str, prepare: impl FnOnce(&mut Command)) -> Option<Left> {
        let mut command = mortal(&peer(tool)?);
        command.env("IBSIM_SOCKNAME", &self.socket).env_remove("IBSIM_SERVER_NAME");
        command.env("LD_PRELOAD", &self.umad2sim);
        prepare(&mut command);
        let mut child = Killed::spawn(&mut command);
        let stderr = child.stderr();
        let stdout = child.stdout();
        let stdout =
            stdout.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{tool} runs for more than {LIMIT:?}"));
        let status = child.0.wait().expect("a child can be waited for");
        Some(Left { status, stdout, stderr: stderr.recv_timeout(LIMIT).unwrap_or_default() })
    }

    /// Starts an installed tool in the subnet that goes on until it is ended; `None` where it is absent. `prepare` adds
    /// arguments and environment.
    pub(crate) fn start_tool(&self, tool: &str, prepare: impl FnOnce(&mut Command)) -> Option<Tool> {
        let mut command = mortal(&peer(tool)?);
        command.env("IBSIM_SOCKNAME", &self.socket).env_remove("IBSIM_SERVER_NAME");
        command.env("LD_PRELOAD", &self.umad2sim);
        prepare(&mut command);
        let mut child = Killed::spawn(&mut command);
        // Threads read both to their ends, so that the tool never waits for a reader.
        drop((child.stdout(), child.stderr()));
        Some(Tool { child })
    }

    /// A shell's functions by which installed tools run in the subnet under their own names, for a minute at most,
    /// with the files that OpenSM keeps in the folder that the shell is in; `None` where one of them is absent.
    pub(crate) fn tools(&self, names: &[&str]) -> Option<String> {
        let mut functions = format!("export IBSIM_SOCKNAME={}; unset IBSIM_SERVER_NAME\n", self.socket);
        functions += "export OSM_TMP_DIR=\"$PWD\" OSM_CACHE_DIR=\"$PWD\"\n";
        for name in names {
            let (program, library) = (peer(name)?, self.umad2sim.display());
            let limit = LIMIT.as_secs();
            let run = format!("timeout {limit} env LD_PRELOAD={library} {}", program.display());
            functions += &format!("{name}() {{ {run} \"$@\"; }}\n");
        }
        Some(functions)
    }

    /// The network as the real `ibnetdiscover` dumps it; `None` where that is absent.
    pub(crate) fn dumped(&self) -> Option<Vec<u8>> {
        let left = self.run("ibnetdiscover", |_| {})?;
        assert!(left.status.success(), "ibnetdiscover: {}", left.stderr);
        Some(left.stdout)
    }
}

/// The library that puts `ibsim` in the place of InfiniBand's devices.
fn umad2sim() -> Option<PathBuf> {
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"].map(PathBuf::from);
    // Debian has one more level, named after the machine's architecture.
    let below = |folder: &PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let all = folders.iter().flat_map(below).chain(folders.clone());
    all.map(|folder| folder.join("umad2sim/libumad2sim.so")).find(|library| library.is_file())
}

/// A command that dies with this process, however that ends, where the system can see to it.
fn mortal(program: &Path) -> Command {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !setpriv.is_file() {
        return Command::new(program);
    }
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// A child that is killed and waited for when it is dropped.
struct Killed(Child);

impl Killed {
    fn spawn(command: &mut Command) -> Killed {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Killed(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// All of its standard error, once it is closed.
    fn stderr(&mut self) -> Receiver<String> {
        let (sender, receiver) = channel();
        let mut pipe = self.0.stderr.take().expect("stderr is piped, and taken once");
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
        });
        receiver
    }

    /// All of its standard output, once it is closed.
    fn stdout(&mut self) -> Receiver<Vec<u8>> {
        let (sender, receiver) = channel();
        let mut pipe = self.0.stdout.take().expect("stdout is piped, and taken once");
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
        receiver
    }

    /// Its standard output line by line; read on to its end even if it is not used.
    fn lines(&mut self) -> Receiver<String> {
        let (sender, receiver) = channel();
        let pipe = self.0.stdout.take().expect("stdout is piped, and taken once");
        thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        receiver
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
