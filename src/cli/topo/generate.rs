//! `simnet topo generate FAMILY --parameter N ...`: one clap command for every family in the library's table.

use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use simnet_network::topology::formats::Kept;
use simnet_network::topology::generate::{FAMILIES, Family, Parameter, build};

use super::Output;
use crate::cli::places::Places;
use crate::cli::{Common, Exit, Failure};

/// A family and its parameters as given.
pub(in crate::cli) struct Options {
    family: &'static Family,
    parameters: Vec<(&'static str, u64)>,
    name: Option<String>,
    output: Output,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let seed = common.seed.unwrap_or(0);
    let mut net = build(options.family.name, &options.parameters, seed)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(name) = &options.name {
        net.name.clone_from(name);
    }
    options.output.write((&net, &Kept::default()), Places::new(), common)
}

impl Args for Options {
    fn augment_args(command: Command) -> Command {
        command
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(FAMILIES.iter().map(of_family))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Options::augment_args(command)
    }
}

fn of_family(family: &'static Family) -> Command {
    let random = if family.random { "; drawn by --seed" } else { "" };
    let command = Command::new(family.name).args(family.parameters.iter().map(of_parameter)).arg(
        Arg::new("name").long("name").value_name("NAME").help("The network's name [default: the family's]"),
    );
    // Last, since flattened arguments bring a description of their own.
    Output::augment_args(command).about(format!("{}{random}", family.about)).long_about(None)
}

/// The value of a parameter.
///
/// # Errors
/// What it would have to be, if it is anything else.
fn in_range(parameter: &Parameter, text: &str) -> Result<u64, String> {
    let range = parameter.least..=parameter.most;
    let value = text.parse().ok().filter(|value| range.contains(value));
    value.ok_or_else(|| format!("must be a whole number from {} to {}", parameter.least, parameter.most))
}

fn of_parameter(parameter: &'static Parameter) -> Arg {
    let default = parameter.default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
    Arg::new(parameter.name)
        .long(parameter.name)
        .value_name("N")
        .required(parameter.default.is_none())
        .allow_negative_numbers(true)
        .value_parser(move |text: &str| in_range(parameter, text))
        .help(format!("{}{default}", parameter.about))
}

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Options, Error> {
        let (name, matches) = matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        let family = FAMILIES.iter().find(|family| family.name == name);
        let family = family.ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        let given = |parameter: &'static Parameter| {
            matches.get_one::<u64>(parameter.name).map(|value| (parameter.name, *value))
        };
        Ok(Options {
            family,
            parameters: family.parameters.iter().filter_map(given).collect(),
            name: matches.get_one::<String>("name").cloned(),
            output: Output::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Options::from_arg_matches(matches)?;
        Ok(())
    }
}
