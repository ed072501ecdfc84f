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
      text: 'Plus personne ne pourra lui donner accès, et tout ce qu’il a reçu est révoqué immédiatement. Rien n’est effacé : vous pourrez l’admettre de nouveau.',
    },
    unblock: {
      action: 'Admettre de nouveau',
      text: 'Chacun pourra de nouveau lui donner accès. Ce qu’il avait reçu reste révoqué.',
    },
  },
};
