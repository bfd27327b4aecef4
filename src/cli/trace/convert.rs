//! From a log through a selection into a sink.

use std::io;

use simnet_base::units::Time;
use simnet_media::trace::bounds::Earlier;
use simnet_media::trace::{Event, LogEntry, LogFault, Reader, Scene, Sink};

use super::select::{Selection, Verdict};

/// How a conversion ended.
pub(in crate::cli) struct Converted {
    /// What was wrong with the log, if something was. What is before it has been written.
    pub(in crate::cli) damage: Option<LogFault>,
    /// Whether all could be written.
    pub(in crate::cli) result: io::Result<()>,
}

/// Writes the events of a log that are selected, and finishes the sink, also where the log is damaged.
pub(in crate::cli) fn convert(
    reader: &mut Reader,
    selection: &mut Selection,
    sink: Box<dyn Sink + '_>,
) -> Converted {
    let mut converter =
        Converter { selection, sink, earlier: Earlier::default(), scene: None, last: Time::ZERO };
    let mut damage = None;
    let mut result = Ok(());
    while result.is_ok() {
        let is_full = converter.selection.is_full();
        match reader.read_entry() {
            // A scene that is over with the last event wanted is whole.
            Ok(Some(LogEntry::Scene(_) | LogEntry::Event(_))) | Err(_) if is_full => break,
            Ok(Some(item)) => result = converter.take(item),
            Ok(None) => break,
            Err(fault) => {
                damage = Some(fault);
                break;
            }
        }
    }
    let result = result.and_then(|()| converter.break_off()).and_then(|()| converter.sink.finish());
    Converted { damage, result }
}

struct Converter<'a, 'b> {
    selection: &'a mut Selection,
    sink: Box<dyn Sink + 'b>,
    /// What happened before the part of the scene that is selected.
    earlier: Earlier,
    /// The scene that is passing, if it is selected.
    scene: Option<Scene>,
    /// The instant of its last event.
    last: Time,
}

impl Converter<'_, '_> {
    fn take(&mut self, item: LogEntry) -> io::Result<()> {
        match item {
            LogEntry::Scene(scene) => {
                self.earlier = Earlier::default();
                self.last = Time::ZERO;
                self.scene = self.selection.begin(&scene).then(|| self.selection.cut(scene));
                self.scene.as_ref().map_or(Ok(()), |scene| self.sink.scene(scene))
            }
            LogEntry::Event(event) => self.event(&event),
            LogEntry::SceneEnd(scene) => {
                self.flush()?;
                match self.scene.take() {
                    Some(_) => self.sink.end(&self.selection.cut(scene)),
                    None => Ok(()),
                }
            }
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.last = event.at;
        let Some(scene) = self.scene.take() else { return Ok(()) };
        let done = match self.selection.judge(event) {
            Verdict::Keep => self.carry(&scene).and_then(|()| self.sink.event(&scene, event)),
            Verdict::Earlier => {
                self.earlier.pass(event);
                Ok(())
            }
            Verdict::Skip => {
                self.sink.skip(&scene, event);
                Ok(())
            }
        };
        self.scene = Some(scene);
        done
    }

    /// What was before and still matters, once the part begins.
    fn carry(&mut self, scene: &Scene) -> io::Result<()> {
        self.earlier.take().iter().try_for_each(|event| self.sink.event(scene, event))
    }

    /// Nothing more is read, whether the scene has ended or not: from its last instant on something may be missing.
    fn break_off(&mut self) -> io::Result<()> {
        self.flush()?;
        let Some(scene) = self.scene.take() else { return Ok(()) };
        let cut = self.selection.cut(scene);
        let until = cut.until.map_or(self.last, |until| until.min(self.last));
        self.sink.end(&Scene { until: Some(until), ..cut })
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(scene) = self.scene.take() else { return Ok(()) };
        let carried = self.carry(&scene);
        self.scene = Some(scene);
        carried
    }
}
