// French: console pages about APIs.

import { withDe } from '../elision.ts';

/** Uses the largest unit that leaves no remainder. */
const formatLifetime = (seconds: number): string => {
  const [size, one, many] =
    seconds % 3600 === 0
      ? [3600, 'heure', 'heures']
      : seconds % 60 === 0
        ? [60, 'minute', 'minutes']
        : [1, 'seconde', 'secondes'];
  const count = seconds / size;
  return `${count} ${count < 2 ? one : many}`;
};

export const apis = {
  list: {
    title: 'Vos API',
    lead: (_service: string) =>
      'Enregistrez une API pour la protéger avec des jetons d’accès. Les applications, et les agents si vous le permettez, les obtiennent avec l’autorisation de chaque personne.',
    register: 'Enregistrer une API',
    empty: 'Vous n’avez pas encore d’API.',
    emptyAdvice:
      'Une API est un service que des programmes appellent au nom d’une personne, comme un serveur MCP.',
    full: (limit: number) =>
      `Vous avez atteint la limite de ${limit} API par compte. Pour en enregistrer une autre, supprimez-en une ou contactez votre administrateur.`,
    none: 'aucune',
    more: (count: number) => (count === 1 ? 'et une autre' : `et ${count} autres`),
    api: 'API',
    allowedClients: 'Ouverte à',
  },
  allowedClients: {
    own: 'vos applications',
    applications: 'toutes les applications',
    agents: 'applications et agents',
  },
  allowedClientsChoices: {
    own: {
      label: 'Vos applications seulement',
      hint: 'Seules les applications de votre compte peuvent demander des jetons pour cette API.',
    },
    applications: {
      label: 'Toutes les applications enregistrées',
      hint: 'Les applications des autres comptes aussi : chaque personne choisit ce qu’elle autorise.',
    },
    agents: {
      label: 'Les agents aussi',
      hint: 'Les applications non enregistrées aussi, comme un assistant. Elles ne peuvent demander que les portées que vous ouvrez aux agents.',
    },
  },

  confirmHint:
    'Votre connexion date de plus de 15 minutes. Votre mot de passe n’est nécessaire que si vous donnez à davantage d’applications l’accès à l’API.',

  form: {
    name: 'Nom de l’API',
    nameHint: 'Affiché sur la page d’autorisation.',
    identifier: 'Identifiant de l’API',
    identifierHint:
      'L’URL de votre API, par exemple https://api.exemple.fr/mcp. Elle figure dans chaque jeton (aud). Ce choix est définitif.',
    description: 'Description',
    descriptionHint: 'Affichée sur la page d’autorisation. Une langue suffit.',
    inLanguage: { fr: 'En français', en: 'En anglais' },
    allowedClients: 'Qui peut demander des jetons ?',
    lifetime: 'Durée de vie des jetons d’accès, en secondes',
    lifetimeHint: 'Plus elle est courte, plus vite une révocation prend effet.',
  },

  detail: {
    apiId: 'ID de l’API (api_id)',
    description: 'Description',
    allowedClients: 'Qui peut demander des jetons',
    lifetime: 'Durée des jetons',
    lasting: formatLifetime,
    delete: 'Supprimer l’API',
    done: {
      offered:
        'La proposition est enregistrée. Si un compte utilise cette adresse, il la verra parmi ses API ; si l’adresse est vérifiée, un e‑mail l’en avertit.',
      accepted: 'Cette API est maintenant la vôtre. Créez un nouveau secret et enregistrez vos clés.',
      created: 'L’API est enregistrée.',
    },
    suspended: 'Suspendue : ses jetons sont inactifs. Contactez votre administrateur.',
  },

  tasks: {
    noCredentials:
      'Votre API doit vérifier chaque jeton reçu, localement ou par introspection avec un secret. Le code est prêt à copier.',
    protect: 'Protéger l’API',
    noScopes: 'Aucune portée pour l’instant.',
    unused: 'Aucune application n’a encore accès à l’API.',
    requests: (count: number) =>
      count === 1
        ? 'Une demande d’accès attend votre réponse.'
        : `${count} demandes d’accès attendent votre réponse.`,
    review: 'Examiner',
  },

  edit: {
    title: (name: string) => `Réglages ${withDe(name)}`,
    fixed: 'L’identifiant ne peut pas être modifié : il figure dans chaque jeton.',
  },

  secrets: {
    lead: 'Pour l’introspection (/oauth/introspect), qui détecte immédiatement un jeton révoqué. Pour vérifier les jetons localement, il n’en faut pas.',
    empty: 'Aucun secret actif.',
    none: 'Pour l’introspection, créez un secret ci-dessous ou enregistrez une clé publique.',
    endText: 'Les requêtes de l’API qui utilisent ce secret seront refusées immédiatement.',
    endLast:
      'Aucun autre secret ne reste actif : l’API ne pourra plus utiliser l’introspection avec un secret.',
  },
  created: {
    once: 'Copiez le secret maintenant : il ne sera plus affiché ensuite.',
    identifier: 'ID de l’API (api_id)',
    secret: 'Secret',
  },

  keys: {
    tile: 'Clés publiques',
    title: (name: string) => `Clés publiques ${withDe(name)}`,
    lead: 'Pour l’introspection, votre API peut s’authentifier avec sa clé privée (private_key_jwt) au lieu d’un secret. Collez ici la clé publique correspondante.',
    label: 'JWK Set',
    hint: 'En JSON, 5 clés au plus : RS256, PS256, ES256 ou EdDSA. Laissez vide pour supprimer toutes les clés.',
  },

  scopes: {
    title: (name: string) => `Portées ${withDe(name)}`,
    lead: 'Ce que les applications peuvent demander à cette API. La page d’autorisation affiche les descriptions dans cet ordre.',
    none: 'Cette API n’a pas de portée.',
    noneAdvice: 'Les portées sont facultatives. Sans elles, l’autorisation donne accès à toute l’API.',
    add: 'Ajouter une portée',
    remove: 'Supprimer',
    sensitiveTag: 'sensible',
    agentsTag: 'ouverte aux agents',
    agentsLater: 'ouverte aux agents quand l’API le sera',
    editTitle: (scope: string) => `Modifier la portée « ${scope} »`,
    fixed: 'Le nom ne peut pas être modifié : les applications l’utilisent dans leurs demandes.',
    name: 'Nom de la portée',
    nameHint: 'Comme notes.read. 64 caractères au plus, sans espace, guillemet ni \\.',
    description: 'Ce qu’elle permet',
    descriptionHint: 'Affiché sur la page d’autorisation, comme « Lire vos notes ». Une langue suffit.',
    traits: 'Options',
    sensitive: {
      label: 'Sensible',
      hint: 'Pour supprimer, payer ou publier, par exemple. Affichée à part, confirmée à chaque fois, jamais cochée d’avance.',
    },
    agents: {
      label: 'Les agents peuvent la demander',
      hint: 'Un agent est une application qui n’est pas enregistrée ici.',
      closed: 'Cette API n’est pas ouverte aux agents.',
      open: 'L’ouvrir aux agents',
    },
    removeTitle: (scope: string) => `Supprimer la portée « ${scope} » ?`,
    removeText:
      'Plus aucune application ne pourra la demander. Celles qui l’ont la perdent au prochain renouvellement, ou immédiatement si votre API utilise l’introspection.',
    removeAction: 'Supprimer la portée',
    done: {
      added: 'La portée a été ajoutée.',
      changed: 'La portée a été modifiée.',
      removed: 'La portée a été supprimée.',
    },
  },

  errors: {
    scopeMissing: 'Saisissez le nom de la portée.',
    scopeTooLong: 'Le nom d’une portée ne peut pas dépasser 64 caractères.',
    scopeCharacters: 'Le nom ne doit contenir ni espace, ni guillemet, ni \\, ni caractère non ASCII.',
    scopeReserved: 'Ce nom est réservé à une portée de ce service. Choisissez-en un autre.',
    scopeExists: 'Cette API a déjà une portée de ce nom.',
    tooManyScopes: 'Une API ne peut pas avoir plus de 40 portées.',
    nameMissing: 'Saisissez le nom de l’API.',
    nameTooLong: 'Le nom ne peut pas dépasser 100 caractères.',
    descriptionMissing: 'Saisissez la description, en français ou en anglais.',
    descriptionFrTooLong: 'La description en français ne peut pas dépasser 200 caractères.',
    descriptionEnTooLong: 'La description en anglais ne peut pas dépasser 200 caractères.',
    allowedClientsMissing: 'Choisissez qui peut demander des jetons.',
    lifetimeOutOfRange: 'Saisissez un nombre entier de 60 à 86400.',
    identifierMissing: 'Saisissez l’identifiant de l’API.',
    identifierTooLong: 'L’identifiant ne peut pas dépasser 500 caractères.',
    identifierCharacters:
      'L’identifiant contient une espace, un caractère de contrôle ou un caractère non ASCII.',
    identifierFragment: 'L’identifiant contient un fragment (#) : retirez-le.',
    identifierQuery: 'L’identifiant contient des paramètres (point d’interrogation) : retirez-les.',
    identifierNotAbsolute:
      'L’identifiant doit être une URL complète, par exemple https://api.exemple.fr/mcp.',
    identifierUserInfo: 'L’identifiant contient un nom d’utilisateur ou un mot de passe : retirez-les.',
    identifierNotHttps: 'Il doit commencer par https:// (http://localhost en mode développement).',
    identifierReserved: 'C’est l’URL de ce service. Saisissez celle de votre API.',
    identifierNotCanonical: 'Cette URL n’est pas sous sa forme normalisée. Saisissez :',
    identifierTaken:
      'Cet identifiant est déjà enregistré sur ce service. Si cette URL est la vôtre, contactez votre administrateur.',
  },
};
