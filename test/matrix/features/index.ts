/** Every feature, in the order in which they are tried. */
import type { Feature } from '../bench.js';
import { calls } from './calls.js';
import { library } from './library.js';
import { sessions } from './sessions.js';

export const features: readonly Feature[] = [...sessions, ...calls, ...library];
