// Owns the French texts of: APIs (the console, where people register and look after what access tokens are for).

import { de } from '../elision.ts';

/** A length of time in the largest unit that says it exactly. */
const lasting = (seconds: number): string => {
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
      'Une API enregistrée ici reçoit des jetons d’accès : les applications, et les agents si vous le voulez, les obtiennent avec l’autorisation de chaque personne.',
    register: 'Enregistrer une API',
    empty: 'Vous n’avez pas encore d’API.',
    emptyAdvice: 'Une API est un service que des programmes appellent pour une personne.',
    full: (limit: number) =>
      `Vous avez atteint la limite de ${limit} API par compte. Pour en enregistrer une autre, supprimez-en une ou adressez-vous aux responsables de ce service.`,
    noScopes: 'aucune',
    moreScopes: (count: number) => (count === 1 ? 'et une autre' : `et ${count} autres`),
  },
  /** Who may ask for tokens: at a glance, and as the form explains it. */
  admits: {
    own: 'vos applications',
    applications: 'toutes les applications',
    agents: 'applications et agents',
  },
  admitsChoices: {
    own: {
      label: 'Vos applications seulement',
      hint: 'Seules les applications de votre compte peuvent demander des jetons pour cette API.',
    },
    applications: {
      label: 'Toutes les applications enregistrées',
      hint: 'Les applications des autres comptes de ce service aussi : chaque personne décide de ce qu’elle leur autorise.',
    },
    agents: {
      label: 'Les agents aussi',
      hint: 'Même une application que personne n’a enregistrée ici, comme un assistant, peut demander les portées que vous ouvrez aux agents.',
    },
  },

  confirmHint:
    'Votre connexion date de plus de 15 minutes. Le mot de passe n’est demandé que pour ouvrir davantage l’API.',

  form: {
    name: 'Nom de l’API',
    nameHint: 'Chaque personne le voit quand une application demande son autorisation.',
    identifier: 'Identifiant de l’API',
    identifierHint:
      'L’URL à laquelle les programmes appellent votre API, par exemple https://api.exemple.fr/mcp. Elle est dans chaque jeton (aud). Ce choix est définitif.',
    wordsFr: 'Description, en français',
    wordsEn: 'Description, en anglais',
    wordsHint: 'Quelques mots, 200 caractères au plus.',
    admits: 'Qui peut demander des jetons ?',
    lifetime: 'Durée de vie des jetons d’accès, en secondes',
    lifetimeHint: 'Plus elle est courte, plus vite une révocation compte.',
  },

  detail: {
    apiId: 'Identifiant de connexion (api_id)',
    words: 'Description',
    admits: 'Qui peut demander des jetons',
    lifetime: 'Durée des jetons',
    lasting,
    noScopes: 'aucune : l’accès vaut pour toute l’API',
    delete: 'Supprimer l’API',
    done: {
      offered:
        'La proposition est enregistrée. Si un compte utilise cette adresse, il la verra parmi ses API ; si l’adresse est vérifiée, un e-mail l’en avertit.',
      accepted: 'Cette API est maintenant la vôtre. Créez votre propre secret, et enregistrez vos clés.',
      created: 'L’API est enregistrée. Ajoutez maintenant ce que les applications peuvent lui demander.',
    },
    suspended: 'Suspendue : ses jetons ne comptent plus. Contactez les responsables du service.',
  },

  tasks: {
    noCredentials:
      'Votre API doit vérifier chaque jeton qu’elle reçoit. Elle le fait elle-même, ou nous interroge avec un secret : le code est prêt à copier.',
    protect: 'Protéger l’API',
  },

  edit: {
    title: (name: string) => `Modifier ${name}`,
    fixed: 'L’identifiant ne peut pas changer : il est dans chaque jeton.',
  },

  secrets: {
    lead: 'Votre API en a besoin si elle nous interroge sur les jetons qu’elle reçoit (/oauth/introspect) : elle apprend ainsi tout de suite qu’un jeton est révoqué. Si elle les vérifie elle-même, avec nos clés publiées, elle n’en a pas besoin. Un secret n’est affiché qu’une fois, à sa création ; nous n’en gardons ensuite qu’une empreinte et ses quatre derniers caractères.',
    none: 'Aucun secret n’est actif. Créez-en un ci-dessous si votre API nous interroge sur les jetons, ou enregistrez sa clé publique.',
    endText: 'Toute demande de l’API qui l’utilise sera refusée immédiatement.',
    endLast: 'Aucun autre secret n’est durable : l’API ne pourra plus nous interroger ainsi.',
  },
  created: {
    once: 'Copiez le secret maintenant : il ne sera plus affiché ensuite.',
    identifier: 'Identifiant de connexion (api_id)',
    secret: 'Secret',
  },

  keys: {
    tile: 'Clés publiques',
    title: (name: string) => `Clés publiques ${de(name)}`,
    lead: 'Votre API peut nous interroger sur les jetons sans secret, en signant avec sa clé privée (private_key_jwt). Collez ici la clé publique correspondante.',
    label: 'JWK Set',
    hint: 'En JSON, 5 clés au plus : RS256, PS256, ES256 ou EdDSA. Laissez vide pour n’en garder aucune.',
  },

  scopes: {
    title: (name: string) => `Portées ${de(name)}`,
    lead: 'Ce que les applications peuvent demander à cette API. Chaque personne lit ces mots, dans cet ordre, avant d’autoriser.',
    none: 'Cette API n’a pas de portée.',
    noneAdvice: 'Elle peut s’en passer : chacun autorise alors l’accès à toute l’API.',
    add: 'Ajouter une portée',
    remove: 'Supprimer',
    sensitiveTag: 'sensible',
    agentsTag: 'ouverte aux agents',
    editTitle: (scope: string) => `Modifier la portée « ${scope} »`,
    fixed: 'Le nom ne peut pas changer : les programmes le demandent.',
    name: 'Nom de la portée',
    nameHint: 'Comme notes.read. 64 caractères au plus, sans espace, guillemet ni \\.',
    wordsFr: 'Ce qu’elle permet, en français',
    wordsEn: 'Ce qu’elle permet, en anglais',
    wordsHint: 'La personne lit ces mots avant d’autoriser. Par exemple : Lire vos notes.',
    wordsHintEn: 'La personne lit ces mots avant d’autoriser. Par exemple : Read your notes.',
    traits: 'Précautions',
    sensitive: {
      label: 'Sensible',
      hint: 'Demandée à part et à chaque fois, jamais cochée d’avance : supprimer, payer, publier.',
    },
    agents: {
      label: 'Les agents peuvent la demander',
      hints: {
        own: 'Ne compte que si l’API est ouverte aux agents ; elle ne l’est pas.',
        applications: 'Ne compte que si l’API est ouverte aux agents ; elle ne l’est pas.',
        agents: 'Un agent est une application que personne n’a enregistrée ici.',
      },
    },
    removeTitle: (scope: string) => `Supprimer la portée « ${scope} » ?`,
    removeText:
      'Plus aucune application ne pourra la demander. Celles qui l’ont obtenue la perdent au prochain renouvellement, et tout de suite là où votre API nous interroge sur un jeton.',
    removeAction: 'Supprimer la portée',
    done: {
      added: 'La portée a été ajoutée.',
      changed: 'La portée a été modifiée.',
      removed: 'La portée a été supprimée.',
    },
  },

  faults: {
    scopeMissing: 'Saisissez le nom de la portée.',
    scopeTooLong: 'Le nom d’une portée compte 64 caractères au plus.',
    scopeCharacters: 'Le nom ne contient ni espace, ni guillemet, ni \\, ni caractère non ASCII.',
    scopeReserved: 'Ce nom est celui d’une portée de ce service : choisissez-en un autre.',
    scopeExists: 'Cette API a déjà une portée de ce nom.',
    tooManyScopes: 'Une API a 40 portées au plus.',
    nameMissing: 'Saisissez le nom de l’API.',
    nameTooLong: 'Le nom compte 100 caractères au plus.',
    wordsFrMissing: 'Saisissez le texte en français.',
    wordsEnMissing: 'Saisissez le texte en anglais.',
    wordsFrTooLong: 'Le texte en français compte 200 caractères au plus.',
    wordsEnTooLong: 'Le texte en anglais compte 200 caractères au plus.',
    admitsMissing: 'Choisissez qui peut demander des jetons.',
    lifetimeOutOfRange: 'Saisissez un nombre entier de 60 à 86400.',
    identifierMissing: 'Saisissez l’identifiant de l’API.',
    identifierTooLong: 'L’identifiant compte 500 caractères au plus.',
    identifierCharacters:
      'L’identifiant contient une espace, un caractère de contrôle ou un caractère non ASCII.',
    identifierFragment: 'L’identifiant contient un fragment (#) : retirez-le.',
    identifierQuery: 'L’identifiant contient des paramètres, après un point d’interrogation : retirez-les.',
    identifierNotAbsolute:
      'L’identifiant doit être une URL complète, par exemple https://api.exemple.fr/mcp.',
    identifierUserInfo: 'L’identifiant contient un nom d’utilisateur ou un mot de passe : retirez-les.',
    identifierNotHttps: 'Il doit commencer par https:// (http://localhost en mode développement).',
    identifierOurs: 'Cette URL est celle de ce service lui-même : saisissez celle de votre API.',
    identifierSpelling: 'Les programmes écrivent cette URL autrement. Saisissez-la ainsi :',
    identifierTaken:
      'Cet identifiant est déjà enregistré sur ce service. Si cette URL est la vôtre, adressez-vous aux responsables de ce service.',
  },
};
