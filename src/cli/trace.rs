//! `simnet trace`: what an event log holds; filtered, and written as something else.

mod convert;
mod form;
mod overview;
mod select;

use std::cell::Cell;
use std::io::{self, BufReader, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;

use simnet_base::diagnostics::legible;
use simnet_media::trace::{LogFault, Reader};

use super::output::{is_stdout, print, print_json, to_stdout, write_whole_by};
use super::places::Places;
use super::{Common, Exit, Failure, Format, complain};

pub(super) use convert::convert;
pub(super) use form::Form;
pub(super) use select::Selection;

#[derive(Args)]
pub(super) struct Options {
    /// The event log: events.simlog of a results folder, or what `simnet run --trace` left; - for stdin
    log: PathBuf,
    #[command(flatten)]
    filters: Filters,
    /// Write the events as `log`, `ndjson`, `csv`, `perfetto` or `pcapng`; without it and --out, tell what there is
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Where they go; to stdout if not given, or if -. Without --to its name tells the format
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Which events: those that fit all of these.
#[derive(Args, Default)]
pub(super) struct Filters {
    /// Only these kinds, as in --only deadlock,clear: start, arrive, wait, grant, release, flow, stop, go, pause,
    /// reset, deadlock, clear, end, cable, send, receive, frame
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    only: Vec<String>,
    /// Only the scene at this position, from 0
    #[arg(long, value_name = "N", conflicts_with = "point")]
    scene: Option<u32>,
    /// Only the load point at this position, from 0
    #[arg(long, value_name = "N")]
    point: Option<u32>,
    /// Only from this time on, as "1.5 ms"
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only what happens to the message of this name
    #[arg(long, value_name = "NAME")]
    message: Option<String>,
    /// Only what happens at this switch or host
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Only what happens at this port
    #[arg(long, value_name = "NODE:PORT")]
    port: Option<String>,
    /// Only the first N of these events
    #[arg(long, value_name = "N")]
    first: Option<u64>,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let named = options.to.as_deref().map(Form::named).transpose().map_err(Failure::Usage)?;
    let form = named.or_else(|| options.out.as_deref().map(Form::of_name));
    let mut reader = open(&options.log)?;
    let selection = Selection::new(&options.filters, &reader.heading().network)?;
    match form {
        None => show(&mut reader, selection, options, common),
        Some(form) => write(&mut reader, selection, form, options, common),
    }
}

fn open(log: &Path) -> Result<Reader, Failure> {
    // What stands for stdin elsewhere: no log is called so.
    if log == Path::new("-") {
        return Ok(Reader::new("stdin", Box::new(BufReader::new(io::stdin())))?);
    }
    Ok(Reader::open(log)?)
}

/// Tells what there is.
fn show(
    reader: &mut Reader,
    mut selection: Selection,
    options: &Options,
    common: &Common,
) -> Result<Exit, Failure> {
    let mut overview = overview::Overview::new(&options.log, reader.heading());
    let converted = convert(reader, &mut selection, Box::new(overview.sink()));
    if converted.damage.is_none() {
        selection.check_found()?;
    }
    overview.damage = converted.damage.as_ref().map(ToString::to_string);
    match common.format {
        Format::Human => print(&overview.text()),
        Format::Json => print_json(&overview),
    }?;
    report_damage(converted.damage)
}

/// Writes the events.
fn write(
    reader: &mut Reader,
    selection: Selection,
    form: Form,
    options: &Options,
    common: &Common,
) -> Result<Exit, Failure> {
    let file = options.out.as_deref().filter(|out| !is_stdout(out));
    Places::new().reads("the event log", &options.log).writes("--out", file).check(common)?;
    if file.is_none() && form.is_binary() && io::stdout().is_terminal() {
        let message = "this is no text: name a file with --out, or send it through a pipe";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut ended = None;
    let mut fill = |out: &mut dyn Write| -> io::Result<()> {
        let (done, result) = pour(reader, selection.clone(), form, out);
        ended = Some(done);
        result
    };
    let written = match file {
        Some(file) => write_whole_by(file, &mut fill),
        None => to_stdout(&mut fill),
    };
    match ended {
        // What was requested is not there: whatever else failed, failed for that.
        Some(Err(failure)) => Err(failure),
        Some(Ok(damage)) => {
            written?;
            report_damage(damage)
        }
        None => written.map(|()| Exit::Fine),
    }
}

/// Writes the events to `out`, but nothing before the first of them is found: a name that is nowhere leaves no file.
fn pour(
    reader: &mut Reader,
    mut selection: Selection,
    form: Form,
    out: &mut dyn Write,
) -> (Result<Option<LogFault>, Failure>, io::Result<()>) {
    selection.carries = form.is_replayed();
    let found = Rc::new(Cell::new(false));
    selection.found = Rc::clone(&found);
    let held = HeldBack { out, bytes: Vec::new(), found: Rc::clone(&found) };
    let mut out = BufWriter::new(held);
    let converted = match form.sink(&mut out, reader.heading()) {
        Ok(sink) => convert(reader, &mut selection, sink),
        Err(error) => return (Ok(None), Err(error)),
    };
    if converted.damage.is_none()
        && let Err(failure) = selection.check_found()
    {
        return (Err(failure), Err(io::Error::other("nothing to write")));
    }
    found.set(true);
    (Ok(converted.damage), converted.result.and_then(|()| out.flush()))
}

/// Warns of damage; what is whole has been shown.
fn report_damage(damage: Option<LogFault>) -> Result<Exit, Failure> {
    match damage {
        None => Ok(Exit::Fine),
        Some(LogFault::Io { path, error }) => Err(Failure::Io { path, error }),
        Some(fault) => {
            complain(&format!("{}; what is whole before it has been read", legible(&fault.to_string())));
            Ok(Exit::BadInput)
        }
    }
}

/// Holds back what is written until something is found that is worth it.
struct HeldBack<'a> {
    out: &'a mut dyn Write,
    bytes: Vec<u8>,
    found: Rc<Cell<bool>>,
}

impl Write for HeldBack<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.found.get() {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let held = std::mem::take(&mut self.bytes);
        self.out.write_all(&held)?;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.found.get() {
            return Ok(());
        }
        let held = std::mem::take(&mut self.bytes);
        self.out.write_all(&held)?;
        self.out.flush()
    }
}
