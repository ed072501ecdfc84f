// French: administration pages about agents.

export const agents = {
  selfRegistered: 'Agent auto-enregistré',
  search: 'Nom, hôte ou Client ID',
  agent: 'Agent',
  knownSince: 'Vu pour la première fois le',
  states: {
    any: 'Tous les agents',
    blocked: 'Agents bloqués',
    document: 'Agents avec un document de métadonnées',
    registration: 'Agents auto-enregistrés',
  },
  tags: { active: 'autorisé', blocked: 'bloqué' },
  identification: 'Identification',
  ways: {
    document: 'document de métadonnées à sa propre URL',
    registration: 'enregistrement dynamique',
  },
  keys: 'Clés publiques',
  noKeys: 'aucune',
  readAt: 'Document lu le',
  freshUntil: 'Valable jusqu’au',
  blockedSince: 'Bloqué depuis le',
  actions: {
    block: {
      action: 'Bloquer',
      text: 'Plus personne ne pourra lui donner accès, et ses jetons sont révoqués immédiatement. Rien n’est effacé : vous pourrez le débloquer.',
    },
    unblock: {
      action: 'Débloquer',
      text: 'Il sera de nouveau possible de lui donner accès. Ses anciens jetons restent révoqués.',
    },
  },
};
