/** Every feature, in the order in which they are tried. */
import type { Feature } from '../bench.js';
import { calls } from './calls.js';
import { input } from './input.js';
import { library } from './library.js';
import { sessions } from './sessions.js';
import { tools } from './tools.js';

export const features: readonly Feature[] = [...sessions, ...calls, ...input, ...library, ...tools];
