/**
 * What a hosted upstream is made of: one function that builds an SDK server, the same for both eras.
 */
import type { McpServer, ServerNotifier } from '@modelcontextprotocol/server';
import type { Era } from '../wire/meta-keys.js';

/** Where a server is about to be put to work. */
export interface Serving {
  readonly era: Era;
  /** Tells every client that listens that a list or a resource has changed. */
  readonly changes: ServerNotifier;
}

/** Builds one server: per request in the modern era, per session in the legacy era. */
export type BuildServer = (serving: Serving) => McpServer;
