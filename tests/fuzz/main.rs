//! Searches for inputs that a reader does not stand. `tests/fuzz/run` builds and calls it.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use simnet_fuzz::{TARGETS, search};

/// `fuzz SECONDS FOLDER [TARGET...]`: each target, or all, for so long, on one core.
#[expect(clippy::print_stdout, reason = "its report")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(Ok(seconds)), Some(folder)) = (arguments.next().map(|text| text.parse()), arguments.next())
    else {
        println!("fuzz SECONDS FOLDER [TARGET...]; the targets:");
        TARGETS.iter().for_each(|target| println!("  {}", target.name));
        return ExitCode::from(2);
    };
    let names: Vec<String> = arguments.collect();
    let mut is_clean = true;
    println!("target          executions  taken %  inputs  edges  slowest ms  findings");
    for target in
        TARGETS.iter().filter(|target| names.is_empty() || names.iter().any(|name| name == target.name))
    {
        let folder = Path::new(&folder).join(target.name);
        let found = search(target, 1, Duration::from_secs(seconds), u64::MAX, Some(&folder));
        let taken = found.taken * 100 / found.executions.max(1);
        let slowest = found.slowest.as_millis();
        println!(
            "{:14} {:11} {taken:8} {:7} {:6} {slowest:11} {:9}",
            target.name,
            found.executions,
            found.kept,
            found.edges,
            found.findings.len()
        );
        for (nth, (message, input)) in found.findings.iter().enumerate() {
            is_clean = false;
            let path = folder.join(format!("finding-{nth}"));
            fs::write(&path, input).expect("the folder is writable");
            println!("  {}: {message}", path.display());
        }
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
