// Owns the English texts of: agents, as operators see them, and what one is called of which nothing is left but its Client ID.
import type { Messages } from '../fr.ts';

export const agents: Messages['agents'] = {
  selfRegistered: 'Agent that registered itself',
  search: 'Name, host or Client ID',
  agent: 'Agent',
  knownSince: 'Known since',
  states: {
    any: 'All agents',
    blocked: 'Blocked agents',
    document: 'Agents with a document',
    registration: 'Self-registered agents',
  },
  tags: { active: 'let in', blocked: 'blocked' },
  way: 'How it says who it is',
  ways: {
    document: 'by a document at an address of its own',
    registration: 'it registered itself',
  },
  keys: 'Its own keys',
  readAt: 'Document read on',
  freshUntil: 'Valid until',
  blockedSince: 'Blocked since',
  actions: {
    block: {
      action: 'Block',
      text: 'Nobody will be able to give it access, and everything it received is revoked immediately. Nothing is erased: you can let it in again.',
    },
    unblock: {
      action: 'Let in again',
      text: 'People will be able to give it access again. What it received before stays revoked.',
    },
  },
};
