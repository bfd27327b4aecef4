//! The commands that the documentation shows are commands.

use clap::Parser as _;

use super::Cli;

/// The commands of a page's blocks that are run, and not only read: from each `simnet` to the end of its line, of its
/// quotes or of what `&&` joins. What a shell or another program would fill in is a zero.
fn commands(page: &str) -> Vec<Vec<String>> {
    let shown =
        |block: &&str| ["sh\n", "make\n", "python\n"].iter().any(|language| block.starts_with(language));
    let blocks = page.split("```").skip(1).step_by(2).filter(shown);
    let lines = blocks.flat_map(str::lines).filter_map(|line| Some(&line[line.find("simnet ")?..]));
    let word = |word: &str| match word.trim_matches('"') {
        filled if filled.contains(['$', '{']) => "0".to_owned(),
        plain => plain.to_owned(),
    };
    let command = |line: &str| {
        let own = line.split(['\'', '#']).next().unwrap_or_default();
        own.split(" && ").next().unwrap_or_default().split_whitespace().map(word).collect()
    };
    lines.map(command).collect()
}

/// Wrong if a command of the page on sweeps were misspelt, or an option it shows had gone.
#[test]
fn the_commands_of_the_page_on_sweeps_parse() {
    let commands = commands(include_str!("../../docs/SWEEPS.md"));
    assert!(commands.len() >= 20, "{commands:?}");
    for command in commands {
        if let Err(error) = Cli::try_parse_from(&command) {
            panic!("{}: {error}", command.join(" "));
        }
    }
}

/// Wrong if a command of the page on traces were misspelt, or an option it shows had gone.
#[test]
fn the_commands_of_the_page_on_traces_parse() {
    let commands = commands(include_str!("../../docs/TRACES.md"));
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        if let Err(error) = Cli::try_parse_from(&command) {
            panic!("{}: {error}", command.join(" "));
        }
    }
}
