//! `simnet route check`: judge routes, or forwarding tables, that come from elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use simnet_base::ids::Node;
use simnet_network::routing::{self, Attachments, DependencyGraph, Engine, Report, Requirement};
use simnet_network::topology::{Network, Role, with_roles};
use simnet_scenario::checked::InputFile;

use super::lanes::{self, Signs};
use super::load::{LoadArguments, Loaded, UnderLoad};
use super::sources::{Given, Source, SourceArguments};
use super::without::{self, Beside, Shown};
use super::{RouteOptions, certificate, destination, show};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{not_stdout, note};
use crate::cli::{Common, Exit, Failure, warn};

#[derive(Args)]
#[command(after_help = lanes::HELP, group = clap::ArgGroup::new("tables").args(["routes", "lfts"]).required(true))]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    source: SourceArguments,
    /// Write the proof to this file where a deadlock is impossible, for `simnet route verify` or a check of your own
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    certificate: Option<PathBuf>,
    /// Ask more than a verdict of `impossible` on hosts among themselves, or end with exit code 1
    #[arg(long, value_name = "WHAT")]
    require: Vec<Classes>,
    #[command(flatten)]
    load: LoadArguments,
    /// Leave out a cable (`SWITCH:PORT`, or both ends as `A:PORT-B:PORT`) or a switch, with the tables as they are
    /// installed: which pairs they lose, beside the whole network and UP*/DOWN* tables computed anew; may be given
    /// several times
    #[arg(long, value_name = "CABLE|SWITCH", visible_alias = "without-switch", conflicts_with = "routes")]
    without: Vec<String>,
}

/// Which pairs count beside those of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Classes {
    /// The same of aggregation nodes and routers
    AllClasses,
}

/// Reads routes or tables and prints their figures.
///
/// # Errors
/// Whatever is wrong with the files.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let attachments = Attachments::lowest(&net);
    let Some(source) = options.source.source(common)? else {
        return Err(Failure::Usage("`--routes` or `--lfts` has to be given".to_owned()));
    };
    let places = source.declare(options.network.places());
    places.writes("--certificate", options.certificate.as_deref()).check(common)?;
    let given = source.read(&options.network, &net, &attachments)?;
    let check = Check { options, file: source.file(), signs: given.signs(), seed: common.seed.unwrap_or(0) };
    // A file of routes names hosts, and is judged as it is.
    let hosts = with_roles(&net, Role::is_host).filter(|_| matches!(source, Source::Tables(_)));
    let read = |hosts: &Network| source.read(&options.network, hosts, &Attachments::lowest(hosts));
    let of_hosts = hosts.as_ref().map(read).transpose()?;
    let hosts = hosts.as_ref().zip(of_hosts.as_ref());
    if let Some(hosts) = hosts.filter(|_| options.without.is_empty()) {
        return check.classes((&net, &given), hosts, &source, common);
    }
    let (net, given) = hosts.unwrap_or((&net, &given));
    let parts = without::parts(net, &options.without)?;
    let whole = check.judge(net, given)?;
    if parts.is_empty() {
        check.certify((&whole, given.digest()), net, common)?;
        let cannot_tell = check.cannot_tell(&whole.report);
        let exit = check.end(&whole, common);
        show((&whole.report, whole.under_load), None, cannot_tell, net, common)?;
        return Ok(exit);
    }
    let network = routing::without(net, &parts);
    let left = check.judge(&network, &given.without(net, &parts))?;
    check.certify((&left, None), &network, common)?;
    let ours = check.recomputed(&network, common)?;
    let exit = check.end(&left, common);
    let beside = Beside {
        left: check.shown(&left.report, left.under_load),
        whole: check.shown(&whole.report, whole.under_load),
        recomputed: Some(Shown { under_load: ours.under_load, ..Shown::of(&ours.report) }),
        tables: None,
    };
    let names = parts.iter().map(|part| without::name(net, *part)).collect();
    without::show(beside, &network, names, common)?;
    Ok(exit)
}

/// What all that is judged in one run has in common.
struct Check<'a> {
    options: &'a Options,
    file: InputFile,
    signs: Option<&'a Signs>,
    seed: u64,
}

/// What is found of routes in one network.
struct Found {
    report: Report,
    dependencies: DependencyGraph,
    under_load: Option<UnderLoad>,
}

impl Check<'_> {
    /// Judges hosts among themselves, and all classes of nodes beside that; the proof is of all, as `verify` has it.
    fn classes(
        &self,
        (net, given): (&Network, &Given),
        (hosts, of_hosts): (&Network, &Given),
        source: &Source,
        common: &Common,
    ) -> Result<Exit, Failure> {
        let attachments = given.attachments(net);
        let survey = given.survey(net, &attachments);
        let report = Report::of_file(net, &attachments, &survey);
        let all = Found { report, dependencies: survey.dependencies, under_load: None };
        self.certify((&all, given.digest()), net, common)?;
        if self.options.certificate.is_some() && all.report.dependency_cycle.is_some() && !common.quiet {
            note("a certificate is of all classes of nodes; `--drop-aggregation-nodes` has that of hosts");
        }
        let found = self.judge(hosts, of_hosts)?;
        let cannot_tell = self.cannot_tell(&found.report);
        let beside = self.by_class((net, &all.report), (&found.report, source))?;
        let (own, of_all) =
            (self.end(&found, common), self.end(&all, &Common { quiet: true, ..common.clone() }));
        let exit = if self.options.require.is_empty() || own != Exit::Fine { own } else { of_all };
        show((&found.report, found.under_load), Some(&beside), cannot_tell, hosts, common)?;
        Ok(exit)
    }

    /// Judges hosts with the nodes of each other role; a single one are all, which are judged already.
    fn by_class(
        &self,
        (net, all): (&Network, &Report),
        (hosts, source): (&Report, &Source),
    ) -> Result<lanes::AllClasses, Failure> {
        let roles = || net.host_ids().map(|host| net.role(Node::Host(host))).filter(|role| !role.is_host());
        let mut counts: BTreeMap<Role, usize> = BTreeMap::new();
        roles().for_each(|role| *counts.entry(role).or_default() += 1);
        let mut classes = vec![lanes::Class::of_hosts(hosts, self.cannot_tell(hosts))];
        for role in counts.keys() {
            let part = with_roles(net, |other| other.is_host() || other == *role);
            let report = part.map(|part| {
                let given = source.read(&self.options.network, &part, &Attachments::lowest(&part))?;
                let attachments = given.attachments(&part);
                Ok::<_, Failure>(Report::of_file(&part, &attachments, &given.survey(&part, &attachments)))
            });
            let report = report.transpose()?;
            let with = report.as_ref().unwrap_or(all);
            classes.push(lanes::Class::with(*role, with, hosts, self.cannot_tell(with)));
        }
        Ok(lanes::AllClasses::new(counts, classes, all, self.cannot_tell(all)))
    }

    fn judge(&self, net: &Network, given: &Given) -> Result<Found, Failure> {
        let attachments = given.attachments(net);
        let under_load = self.under_load(net, given)?;
        let survey = given.survey(net, &attachments);
        let report = Report::of_file(net, &attachments, &survey);
        Ok(Found { report, dependencies: survey.dependencies, under_load })
    }

    /// Ours on what is left of a network: UP*/DOWN* of next hops, as `route --per-destination` computes them.
    fn recomputed(&self, net: &Network, common: &Common) -> Result<Found, Failure> {
        let topology = self.options.network.as_topology(net)?;
        let algorithm = RouteOptions::of("updown").choices(&topology, None, common)?.algorithm;
        let tables = destination::found(net, &Engine::Rule(algorithm), (None, 0, topology.utility))?;
        let attachments = Attachments::every_port(net);
        let under_load = match self.options.load.load.is_some() {
            true => {
                let routes = tables.route_table(net, &attachments);
                let routes = routes.map_err(|error| Failure::Usage(error.to_string()))?;
                self.under_load(net, &Given::Routes(routes))?
            }
            false => None,
        };
        let (report, dependencies) = tables.judge(net, &attachments);
        Ok(Found { report, dependencies, under_load })
    }

    fn under_load(&self, net: &Network, given: &Given) -> Result<Option<UnderLoad>, Failure> {
        let Options { load, network, .. } = self.options;
        let Some(at) = load.load else { return Ok(None) };
        let loaded = Loaded { given, file: &self.file, arguments: load, seed: self.seed };
        loaded.run(at, network.as_topology(net)?).map(Some)
    }

    /// Writes the certificate; `digest` is that of the files with the tables.
    fn certify(
        &self,
        (found, digest): (&Found, Option<&str>),
        net: &Network,
        common: &Common,
    ) -> Result<(), Failure> {
        let Some(path) = &self.options.certificate else { return Ok(()) };
        certificate::write(path, (&found.report, &found.dependencies, digest), net, common)
    }

    /// Whether lanes that were not looked at may break the cycle.
    fn cannot_tell(&self, report: &Report) -> bool {
        report.dependency_cycle.is_some() && self.signs.is_some_and(Signs::are_any)
    }

    fn shown<'a>(&self, report: &'a Report, under_load: Option<UnderLoad>) -> Shown<'a> {
        Shown { report, cannot_tell: self.cannot_tell(report), under_load }
    }

    /// How the run ends, with a warning where lanes may break the cycle.
    fn end(&self, found: &Found, common: &Common) -> Exit {
        let report = &found.report;
        let is_dead = found.under_load.as_ref().is_some_and(|under_load| under_load.deadlocks() > 0);
        if let Some(signs) = self.signs.filter(|_| report.dependency_cycle.is_some() && !common.quiet) {
            warn(&signs.caution());
        }
        match (report.holds(Requirement::Acyclic), report.holds(Requirement::Reachable)) {
            // That would be a fault of ours, and is not to pass for none.
            (true, true) if is_dead => Exit::Deadlocked,
            (true, true) => Exit::Fine,
            (false, true) if self.cannot_tell(report) => Exit::OneLane,
            _ => Exit::Expectation,
        }
    }
}
