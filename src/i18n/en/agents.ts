// English: administration pages about agents.
import type { Messages } from '../fr.ts';

export const agents: Messages['agents'] = {
  selfRegistered: 'Self-registered agent',
  search: 'Name, host or Client ID',
  agent: 'Agent',
  knownSince: 'First seen',
  states: {
    any: 'All agents',
    blocked: 'Blocked agents',
    document: 'Agents with a metadata document',
    registration: 'Self-registered agents',
  },
  tags: { active: 'allowed', blocked: 'blocked' },
  identification: 'Identification',
  ways: {
    document: 'metadata document at its own URL',
    registration: 'dynamic registration',
  },
  keys: 'Public keys',
  noKeys: 'none',
  readAt: 'Document fetched on',
  freshUntil: 'Valid until',
  blockedSince: 'Blocked since',
  actions: {
    block: {
      action: 'Block',
      text: 'People can no longer give it access, and its tokens are revoked immediately. No data is deleted: you can unblock it later.',
    },
    unblock: {
      action: 'Unblock',
      text: 'People can give it access again. Its earlier tokens stay revoked.',
    },
  },
};
