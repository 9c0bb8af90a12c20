/** Writes what the gateway said into the story, in the lanes `G>` and `G<`; nothing else is touched. */
import type { Compared } from './transcript-play.js';

/** The text of the story with the steps in `compared` as they were found. */
export function updatedStory(text: string, compared: readonly Compared[]): string {
  const lines = text.split('\n');
  const fromTheEnd = compared.filter((one) => one.wanted !== one.found).reverse();
  for (const { step, found } of fromTheEnd) {
    const marker = `${step.lane[0]}${step.label}${step.lane[1]}`;
    // The lines of a stream all end with a newline: what follows the last one is no line.
    const streamed = step.part.kind === 'chunk' || (step.part.kind === 'message' && step.part.streamed);
    const said = (streamed ? found.replace(/\n$/, '') : found).split('\n');
    const written = said.map((line) => (line === '' ? marker : `${marker} ${line.replaceAll('\r', '␍')}`));
    lines.splice(step.first - 1, step.last - step.first + 1, ...written);
  }
  return lines.join('\n');
}
