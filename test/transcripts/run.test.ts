/** Plays every story in this folder; README.md tells how they are written. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startStoryGateway } from '../rig/transcript-gateway.js';
import { playStory } from '../rig/transcript-play.js';
import { parseStory } from '../rig/transcript.js';
import { updatedStory } from '../rig/transcript-update.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const update = process.env['UPDATE_TRANSCRIPTS'] === '1';
if (update && process.env['CI']) throw new Error('transcripts are not updated in CI: a story is judged by its reader');

for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .sort()) {
  const text = readFileSync(folder + name, 'utf8');
  const story = parseStory(text);
  void t.test(`${name}: ${story.title}`, async (t) => {
    const { compared, problems } = await playStory(story, startStoryGateway);
    if (update) writeFileSync(folder + name, updatedStory(text, compared));
    else for (const { step, wanted, found } of compared) t.equal(found, wanted, `line ${step.first} ${step.lane}`);
    t.strictSame(problems, [], 'played to its end, and nothing was said that the story does not have');
  });
}
