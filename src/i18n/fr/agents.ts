// Owns the French texts of: agents, as operators see them, and what one is called of which nothing is left but its Client ID.

export const agents = {
  selfRegistered: 'Agent enregistré de lui-même',
  search: 'Nom, hôte ou Client ID',
  agent: 'Agent',
  knownSince: 'Connu depuis le',
  states: {
    any: 'Tous les agents',
    blocked: 'Agents bloqués',
    document: 'Agents avec un document',
    registration: 'Agents auto-enregistrés',
  },
  tags: { active: 'admis', blocked: 'bloqué' },
  way: 'Comment il se présente',
  ways: {
    document: 'par un document à sa propre adresse',
    registration: 'il s’est enregistré lui-même',
  },
  keys: 'Ses propres clés',
  readAt: 'Document lu le',
  freshUntil: 'Valable jusqu’au',
  blockedSince: 'Bloqué depuis le',
  actions: {
    block: {
      action: 'Bloquer',
      title: (name: string) => `Bloquer l’agent ${name} ?`,
      text: 'Plus personne ne pourra lui donner accès, et tout ce qu’il a reçu est révoqué immédiatement. Rien n’est effacé : vous pourrez l’admettre de nouveau.',
      done: 'L’agent est bloqué.',
    },
    unblock: {
      action: 'Admettre de nouveau',
      title: (name: string) => `Admettre de nouveau l’agent ${name} ?`,
      text: 'Chacun pourra de nouveau lui donner accès. Ce qu’il avait reçu reste révoqué.',
      done: 'L’agent est de nouveau admis.',
    },
  },
};
