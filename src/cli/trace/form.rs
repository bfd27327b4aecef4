//! What events can be written as.

use std::io::{self, Write};
use std::path::Path;

use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_media::trace::{Capture, Csv, Heading, LogWriter, Ndjson, Perfetto, Sink};

/// A form of events outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    Log,
    Ndjson,
    Csv,
    Perfetto,
    Pcapng,
}

/// What `--to` calls them.
const NAMES: [(&str, Form); 5] = [
    ("log", Form::Log),
    ("ndjson", Form::Ndjson),
    ("csv", Form::Csv),
    ("perfetto", Form::Perfetto),
    ("pcapng", Form::Pcapng),
];

impl Form {
    /// The form of this name.
    ///
    /// # Errors
    /// A sentence with all names and the nearest.
    pub(super) fn named(name: &str) -> Result<Form, String> {
        let found = NAMES.iter().find(|(known, _)| *known == name).map(|(_, form)| *form);
        found.ok_or_else(|| {
            let all: Vec<&str> = NAMES.iter().map(|(known, _)| *known).collect();
            let near = did_you_mean(name, all.iter().copied());
            format!(
                "--to: `{}` is no format of events: expected one of {}{near}",
                quoted(name),
                all.join(", ")
            )
        })
    }

    /// The form that a file's name implies; a log if it implies none.
    pub(in crate::cli) fn of_name(file: &Path) -> Form {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "ndjson" | "jsonl" => Form::Ndjson,
            "csv" => Form::Csv,
            "pftrace" | "perfetto-trace" | "perfetto" => Form::Perfetto,
            "pcapng" => Form::Pcapng,
            _ => Form::Log,
        }
    }

    /// Whether a terminal cannot show it.
    pub(super) fn is_binary(self) -> bool {
        matches!(self, Form::Log | Form::Perfetto | Form::Pcapng)
    }

    /// Whether it shows states, so that it needs what happened before and still matters.
    pub(super) fn is_replayed(self) -> bool {
        matches!(self, Form::Log | Form::Perfetto)
    }

    /// A writer of this form.
    ///
    /// # Errors
    /// Those of writing.
    pub(in crate::cli) fn sink<'a>(
        self,
        out: impl Write + 'a,
        heading: &Heading,
    ) -> io::Result<Box<dyn Sink + 'a>> {
        Ok(match self {
            Form::Log => Box::new(LogWriter::new(out, heading)?),
            Form::Ndjson => Box::new(Ndjson::new(out, heading)?),
            Form::Csv => Box::new(Csv::new(out, heading)?),
            Form::Perfetto => Box::new(Perfetto::new(out, heading)?),
            Form::Pcapng => Box::new(Capture::new(out, heading)?),
        })
    }
}
