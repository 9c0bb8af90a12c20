/** Plays a story against a real gateway: says `C>` and `U<`, compares `G>` and `G<`. */
import { StoryClient } from './transcript-client.js';
import type { StoryGateway } from './transcript-gateway.js';
import { Captures, renderAs, renderMessage, renderText } from './transcript-match.js';
import { StoryUpstream } from './transcript-upstream.js';
import { MissingError } from './transcript-wait.js';
import type { Step, Story } from './transcript.js';
import { refusing } from '../upstreams/scripted.js';

/** What the gateway said at one step, and what the story says there. */
export interface Compared {
  readonly step: Step;
  readonly wanted: string;
  readonly found: string;
}

/** How a story went. */
export interface Played {
  readonly compared: readonly Compared[];
  /** Why it could not be played to its end, with the line; and what was said that the story does not have. */
  readonly problems: readonly string[];
}

/** What one play has at hand. */
interface Stage {
  readonly gateway: URL;
  readonly captures: Captures;
  readonly upstream: StoryUpstream;
  readonly clients: Map<string, StoryClient>;
  readonly compared: Compared[];
}

/** Starts a gateway in front of `upstream`, configured as the story says. */
export type StartGateway = (upstream: URL, config: Story['settings']['config']) => Promise<StoryGateway>;

/** Plays one story from its start; every wait is bounded, nothing stays open. */
export async function playStory(story: Story, startGateway: StartGateway): Promise<Played> {
  const upstream = new StoryUpstream();
  const scripted = story.settings.upstream === 'scripted';
  const upstreamUrl = scripted ? await upstream.start() : await refusing();
  try {
    const gateway = await startGateway(upstreamUrl, story.settings.config);
    try {
      return await playOn({ upstream, upstreamUrl, gateway: gateway.url }, story.steps);
    } finally {
      await gateway.close();
    }
  } finally {
    await upstream.close();
  }
}

type Sockets = { readonly upstream: StoryUpstream; readonly upstreamUrl: URL; readonly gateway: URL };

async function playOn({ upstream, upstreamUrl, gateway }: Sockets, steps: readonly Step[]): Promise<Played> {
  const captures = new Captures();
  captures.set('gateway', gateway.host);
  captures.set('upstream', upstreamUrl.host);
  const stage: Stage = { gateway, captures, upstream, clients: new Map(), compared: [] };
  try {
    return { problems: await playSteps(stage, steps), compared: stage.compared };
  } finally {
    for (const client of stage.clients.values()) client.close();
  }
}

async function playSteps(stage: Stage, steps: readonly Step[]): Promise<string[]> {
  for (const step of steps) {
    try {
      await playStep(stage, step);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const more = error instanceof MissingError ? unread(stage) : [];
      return [`line ${step.first} (${step.lane}): ${reason}`, ...more];
    }
  }
  // What the gateway has begun to say by now and the story does not have would be said within a moment.
  await new Promise((resolve) => setTimeout(resolve, 30));
  return unread(stage);
}

async function playStep(stage: Stage, step: Step): Promise<void> {
  switch (step.lane) {
    case 'C>':
      return playClient(stage, step);
    case 'U<':
      return playUpstream(stage, step);
    case 'G>':
      return compareRequest(stage, step);
    case 'G<':
      return compareAnswer(stage, step);
  }
}

function playClient(stage: Stage, { label, part }: Step): void {
  const client = clientOf(stage, label);
  if (part.kind === 'message') client.send(filled(part, stage.captures));
  else if (part.kind === 'event' && part.name === 'abort') client.abort();
  else if (part.kind === 'event' && part.name === 'connect') client.reconnect();
  else throw new Error('C> is a request, [connect] or [abort]');
}

function playUpstream(stage: Stage, { label, part }: Step): void {
  const { upstream, captures } = stage;
  // An answer that was there before the upstream had spoken is not made from what the upstream says.
  const early = unread(stage);
  if (early.length > 0) throw new Error(early.join('\n'));
  if (part.kind === 'message') upstream.answer(label, filled(part, captures));
  else if (part.kind === 'chunk') upstream.more(label, captures.fill(part.body));
  else upstream.finish(label, part.name);
}

async function compareRequest(stage: Stage, step: Step): Promise<void> {
  const { upstream, captures } = stage;
  const { label, part } = step;
  if (part.kind === 'message') {
    const found = await upstream.request(label);
    stage.compared.push({ step, wanted: renderMessage(part), found: renderMessage(renderAs(part, found, captures)) });
  } else if (part.kind === 'event' && part.name === 'abort') await upstream.abandoned(label);
  else throw new Error('G> is a request or [abort]');
}

async function compareAnswer(stage: Stage, step: Step): Promise<void> {
  const { captures } = stage;
  const { label, part } = step;
  const client = clientOf(stage, label);
  if (part.kind === 'message') {
    const found = await client.answer(part);
    stage.compared.push({ step, wanted: renderMessage(part), found: renderMessage(renderAs(part, found, captures)) });
  } else if (part.kind === 'chunk') {
    const found = await client.events(part.body);
    stage.compared.push({ step, wanted: part.body, found: renderText(part.body, found, captures) });
  } else {
    if (part.name !== 'end' && part.name !== 'broken') throw new Error('G< is an answer, events, [end] or [broken]');
    stage.compared.push({ step, wanted: `[${part.name}]`, found: `[${await client.ending()}]` });
  }
}

function clientOf(stage: Stage, label: string): StoryClient {
  const known = stage.clients.get(label);
  if (known !== undefined) return known;
  const client = new StoryClient(stage.gateway);
  stage.clients.set(label, client);
  return client;
}

function filled<T extends Step['part'] & { kind: 'message' }>(part: T, captures: Captures): T {
  const headers = part.headers.map(([name, value]) => [name, captures.fill(value)] as const);
  return { ...part, startLine: captures.fill(part.startLine), headers, body: captures.fill(part.body) };
}

/** What the gateway has said and no step has taken. */
function unread(stage: Stage): string[] {
  const requests = stage.upstream.unread().map((request) => `the gateway sent, unasked: ${request}`);
  const answers = [...stage.clients]
    .map(([label, client]) => [label, client.unread()] as const)
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `G${label}< came unasked: ${text}`);
  return [...requests, ...answers];
}
