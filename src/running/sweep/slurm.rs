//! Scripts for Slurm: a job array that computes what is missing, and a job that merges when it has ended.
//!
//! ```text
//!   sbatch --array=0-99 ──▶ task I: simnet sweep work D --task I --of 100 ──▶ D/shards ──after──▶ simnet sweep merge D
//! ```
//! A task is a share of the plan and skips what the shards hold, so that it may be requeued, submitted twice or killed
//! with its node: nothing is lost, and what was computed twice is the same twice. Nothing here asks Slurm how a job
//! ended, as the shards show.
//!
//! Scripts are pure text. Folders come into them only as quoted words of commands, never in `#SBATCH` lines, whose
//! quoting is Slurm's own: jobs are submitted from within the folder, and the lines name paths relative to it.

use std::fmt::Write as _;

/// The largest array of a Slurm that was not asked: `MaxArraySize` is 1001 unless its settings say otherwise.
pub const USUAL_ARRAY: usize = 1001;

/// What a task should last at least, in seconds, so that starting it costs little in comparison.
const WORTH_A_TASK: f64 = 60.0;

/// So many tasks are made of even the cheapest sweep, that estimates may be wrong.
const FEW_TASKS: usize = 4;

/// What of a sweep is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// What the jobs are called: the sweep's name.
    pub name: String,
    /// The `simnet` that they run, a path that holds on every node.
    pub program: String,
    /// The sweep's folder, likewise.
    pub folder: String,
    /// The tasks with something left to compute, ascending, each below `of`.
    pub tasks: Vec<usize>,
    /// How many tasks share the plan.
    pub of: usize,
    /// Cores of a task.
    pub cpus: usize,
    /// Whether points that failed are computed again.
    pub retry: bool,
    /// Options of `sbatch` for both jobs, as the user gave them.
    pub options: Vec<String>,
}

/// How many tasks to make of `missing` points that cost so many seconds of one core in all: as few as last a minute
/// each, a few at least, and at most `most`, what an array may hold.
pub fn tasks(missing: usize, seconds: f64, cpus: usize, most: usize) -> usize {
    let enough = (seconds / (WORTH_A_TASK * cpus.max(1) as f64)).ceil();
    // A conversion of a float saturates, and takes what is no number for zero.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates, as it should")]
    let enough = enough as usize;
    enough.max(FEW_TASKS).min(missing).clamp(1, most.max(1))
}

/// The `MaxArraySize` in what `scontrol show config` prints; none where it says nothing of it.
pub fn max_array_size(settings: &str) -> Option<usize> {
    settings.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    })
}

/// Why an option cannot be handed to `sbatch`; none if it can.
pub fn objection(option: &str) -> Option<&'static str> {
    /// What would part the jobs from what they have to do. `sbatch` takes any beginning of a long name.
    const OURS: [&str; 8] =
        ["--array", "--chdir", "--dependency", "--parsable", "--quiet", "--test-only", "--wait", "--wrap"];
    let name = option.split('=').next().unwrap_or_default();
    if !option.starts_with('-') || name.trim_start_matches('-').is_empty() {
        return Some("expected an option of sbatch, as in --sbatch --partition=long");
    }
    if option.contains('\0') {
        return Some("an option cannot hold a zero byte");
    }
    let is_short = ["-a", "-d", "-D", "-Q", "-W"].iter().any(|short| option.starts_with(short));
    if (!option.starts_with("--") && is_short) || OURS.iter().any(|ours| ours.starts_with(name)) {
        return Some("simnet sets it itself, as the tasks and their merging depend on it");
    }
    None
}

impl Submission {
    /// The script of the job array.
    pub fn array_script(&self) -> String {
        format!(
            "#!/bin/sh
#SBATCH --job-name=simnet-{name}
#SBATCH --array={tasks}
#SBATCH --cpus-per-task={cpus}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm/%A_%a.log
# A task computes what the shards lack of its share of the points. Run again, it goes on where it was killed.
exec {program} sweep work {folder} \\
    --task \"$SLURM_ARRAY_TASK_ID\" --of {of} --jobs \"${{SLURM_CPUS_PER_TASK:-{cpus}}}\" --quiet{retry}
",
            name = self.job_name(),
            tasks = ranges(&self.tasks),
            cpus = self.cpus,
            program = quoted(&self.program),
            folder = quoted(&self.folder),
            of = self.of,
            retry = if self.retry { " --retry" } else { "" },
        )
    }

    /// The script of the job that merges.
    pub fn merge_script(&self) -> String {
        format!(
            "#!/bin/sh
#SBATCH --job-name=simnet-{name}-merge
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm/%j-merge.log
# points.csv appears if the plan is complete; what is missing can be submitted again.
exec {program} sweep merge {folder} --quiet
",
            name = self.job_name(),
            program = quoted(&self.program),
            folder = quoted(&self.folder),
        )
    }

    /// The options of `sbatch` for the job array.
    pub fn array_arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--parsable".to_owned()];
        arguments.extend(self.options.iter().cloned());
        arguments
    }

    /// The options of `sbatch` for the merging job, once the array has an id: it waits until every
    /// task has ended, in whatever way.
    pub fn merge_arguments(&self, array: &str) -> Vec<String> {
        let mut arguments = self.array_arguments();
        arguments.push(format!("--dependency=afterany:{array}"));
        arguments
    }

    /// All of it as one script of the shell, which submits both jobs when the sweep's folder has been prepared.
    pub fn shell_script(&self) -> String {
        let (array, merge) = (self.array_script(), self.merge_script());
        let end = terminator(&[&array, &merge]);
        let options: String = self.options.iter().map(|option| format!(" {}", quoted(option))).collect();
        format!(
            "#!/bin/sh
# What `simnet sweep run ... --executor slurm` submits.
set -eu
cd {folder}
mkdir -p slurm

# Tasks of {of}: {tasks} with something left to compute.
array=$(sbatch --parsable{options} <<'{end}'
{array}{end}
)

# When all tasks have ended, in whatever way.
sbatch --parsable{options} --dependency=\"afterany:${{array%%;*}}\" <<'{end}'
{merge}{end}
",
            folder = quoted(&self.folder),
            of = self.of,
            tasks = self.tasks.len(),
        )
    }

    /// The name in a form that is one word of Slurm's.
    fn job_name(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        self.name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect()
    }
}

/// The id of a job in what `sbatch --parsable` prints, which may be followed by the name of a cluster.
pub fn job_id(printed: &str) -> Option<&str> {
    let id = printed.trim().split(';').next()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then_some(id)
}

/// A word of the shell that stands for a text, whatever is in it.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./,:=@%+-".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Ascending numbers as Slurm writes them: `0-3,7,9-12`.
fn ranges(numbers: &[usize]) -> String {
    let mut text = String::new();
    for run in numbers.chunk_by(|a, b| a + 1 == *b) {
        let comma = if text.is_empty() { "" } else { "," };
        let _ = match run {
            [one] => write!(text, "{comma}{one}"),
            _ => write!(text, "{comma}{}-{}", run[0], run[run.len() - 1]),
        };
    }
    text
}

/// A line that no script has, to end them.
fn terminator(scripts: &[&str]) -> String {
    let mut end = "SCRIPT".to_owned();
    while scripts.iter().any(|script| script.lines().any(|line| line == end)) {
        end.push('_');
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission() -> Submission {
        Submission {
            name: "load".to_owned(),
            program: "/opt/simnet/bin/simnet".to_owned(),
            folder: "/data/my sweep".to_owned(),
            tasks: (0..8).collect(),
            of: 8,
            cpus: 2,
            retry: false,
            options: vec!["--partition=long".to_owned(), "--comment=it's mine".to_owned()],
        }
    }

    /// Wrong if what is submitted changed unseen.
    #[test]
    fn the_whole_text() {
        let expected = r##"#!/bin/sh
# What `simnet sweep run ... --executor slurm` submits.
set -eu
cd '/data/my sweep'
mkdir -p slurm

# Tasks of 8: 8 with something left to compute.
array=$(sbatch --parsable --partition=long '--comment=it'\''s mine' <<'SCRIPT'
#!/bin/sh
#SBATCH --job-name=simnet-load
#SBATCH --array=0-7
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm/%A_%a.log
# A task computes what the shards lack of its share of the points. Run again, it goes on where it was killed.
exec /opt/simnet/bin/simnet sweep work '/data/my sweep' \
    --task "$SLURM_ARRAY_TASK_ID" --of 8 --jobs "${SLURM_CPUS_PER_TASK:-2}" --quiet
SCRIPT
)

# When all tasks have ended, in whatever way.
sbatch --parsable --partition=long '--comment=it'\''s mine' --dependency="afterany:${array%%;*}" <<'SCRIPT'
#!/bin/sh
#SBATCH --job-name=simnet-load-merge
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm/%j-merge.log
# points.csv appears if the plan is complete; what is missing can be submitted again.
exec /opt/simnet/bin/simnet sweep merge '/data/my sweep' --quiet
SCRIPT
"##;
        assert_eq!(submission().shell_script(), expected);
    }

    /// Wrong if a folder's name could reach a line that Slurm reads, or end a script early.
    #[test]
    fn no_name_of_a_folder_is_more_than_a_word() {
        let folder = "/data/it's\n#SBATCH --array=0-9\nSCRIPT\n$(touch x)`y`\\ \"z\"";
        let submission = Submission { folder: folder.to_owned(), ..submission() };
        for script in [submission.array_script(), submission.merge_script()] {
            let head = script.lines().take_while(|line| line.is_empty() || line.starts_with('#'));
            assert!(head.count() <= 8, "{script}");
            assert!(script.contains(&folder.replace('\'', r"'\''")), "{script}");
        }
        assert_eq!(submission.shell_script().lines().filter(|line| *line == "SCRIPT_").count(), 2);
    }

    /// Wrong if tasks were given to Slurm other than they are.
    #[test]
    fn tasks_are_written_as_ranges() {
        for (numbers, text) in
            [(vec![0], "0"), (vec![0, 1, 2, 5, 7, 8], "0-2,5,7-8"), (vec![3, 4], "3-4"), (vec![], "")]
        {
            assert_eq!(ranges(&numbers), text);
        }
    }

    /// Wrong if an array were larger than Slurm takes, had tasks with nothing to do, or had none.
    #[test]
    fn as_many_tasks_as_are_worth_it() {
        assert_eq!(tasks(400, 30.0, 1, USUAL_ARRAY), 4);
        assert_eq!(tasks(2, 30.0, 1, USUAL_ARRAY), 2);
        assert_eq!(tasks(400, 6_000.0, 1, USUAL_ARRAY), 100);
        assert_eq!(tasks(400, 6_000.0, 2, USUAL_ARRAY), 50);
        assert_eq!(tasks(1_000_000, 1e9, 1, USUAL_ARRAY), 1001);
        assert_eq!(tasks(400, f64::INFINITY, 1, 40), 40);
        assert_eq!(tasks(400, f64::NAN, 0, 40), 4);
        assert_eq!(tasks(0, 0.0, 1, 0), 1);
    }

    /// Wrong if another line were read, or one that is no number.
    #[test]
    fn the_array_size_is_found() {
        let settings = "Configuration data\nMaxArraySize            = 41\nMaxDBDMsgs              = 20024\n";
        assert_eq!(max_array_size(settings), Some(41));
        assert_eq!(max_array_size("MaxArraySize = many"), None);
        assert_eq!(max_array_size(""), None);
    }

    /// Wrong if a user could part the jobs from what they do, or were refused what is harmless.
    #[test]
    fn options_that_are_ours_are_refused() {
        for option in
            ["--array=1-2", "--arr=1", "-a1", "-d", "--dependency=x", "--wrap=true", "--", "long", "", "-D/"]
        {
            assert!(objection(option).is_some(), "{option}");
        }
        for option in
            ["--partition=long", "-pdebug", "--time=1:00", "--mem=2G", "--mail-type=END", "--account=a b"]
        {
            assert_eq!(objection(option), None, "{option}");
        }
    }

    /// Wrong if a message of Slurm's were taken for an id.
    #[test]
    fn ids_are_numbers() {
        assert_eq!(job_id("123\n"), Some("123"));
        assert_eq!(job_id("123;north\n"), Some("123"));
        assert_eq!(job_id("sbatch: error\n"), None);
        assert_eq!(job_id(""), None);
    }
}
