// French: console pages about applications.

import { withDe } from '../elision.ts';

export const applications = {
  breadcrumb: 'Fil d’Ariane',
  list: {
    title: 'Vos applications',
    lead: (service: string) =>
      `Enregistrez une application pour que ses utilisateurs se connectent avec ${service}.`,
    register: 'Enregistrer une application',
    empty: 'Vous n’avez pas encore d’application.',
    emptyAdvice: 'Il suffit d’un nom et d’une URL de retour. Les autres réglages peuvent attendre.',
    full: (limit: number) =>
      `Vous avez atteint la limite de ${limit} applications par compte. Pour en enregistrer une autre, supprimez-en une ou contactez votre administrateur.`,
    identifier: 'Client ID',
    created: 'Enregistrée le',
    application: 'Application',
    signIns: 'Connexions, 7 jours',
    lastSignIn: 'Dernière connexion',
    never: 'Jamais',
    refused: 'Refus, 7 jours',
    toDo: 'À faire',
    perDay: (counts: readonly string[]) => `Par jour : ${counts.join(', ')}`,
    noSecret: 'aucun secret',
    secretEnds: 'secret valable jusqu’au',
    requestsRefused: 'requêtes refusées',
  },
  type: 'Type',
  kinds: {
    web: { label: 'Application web', hint: 'Avec un serveur' },
    spa: { label: 'Application monopage', hint: 'Dans le navigateur' },
    native: { label: 'Mobile ou ordinateur', hint: 'Installée sur un appareil' },
    machine: { label: 'Machine à machine', hint: 'Sans utilisateur' },
  },
  types: {
    confidential: 'Application web avec serveur',
    public: 'Application monopage, mobile ou pour ordinateur',
  },
  states: {
    suspended: 'suspendue',
    verified: 'vérifiée',
    unverified: 'non vérifiée',
  },
  suspended: 'Suspendue : personne ne peut s’y connecter. Contactez votre administrateur.',

  form: {
    name: 'Nom de l’application',
    nameHint: 'Affiché à vos utilisateurs sur la page d’autorisation.',
    redirectUri: 'URL de retour',
    redirectUriHint: 'Où vos utilisateurs reviennent après la connexion. Une par ligne.',
    redirectUris: 'URL de retour',
    redirectUrisHints: {
      confidential: 'Une par ligne, 20 au plus. https:// (http:// seulement en mode développement).',
      public:
        'Une par ligne, 20 au plus. https://, http://127.0.0.1 sur n’importe quel port, ou un schéma qui contient un point.',
    },
    scopes: 'Portées que l’application peut demander',
    scopesHint: 'La page d’autorisation affiche cette liste. Ne demandez que le nécessaire.',
    scopeHints: {
      openid: 'Reconnaître la personne grâce à un identifiant stable (sub). Presque toujours nécessaire.',
      profile: 'Son nom, sa photo et la date de dernière modification de son profil.',
      email: 'Son adresse e‑mail, et si elle est vérifiée.',
      phone: 'Son numéro de téléphone, si elle en a ajouté un.',
    },
    standardLegend: 'Noms des champs du profil',
    standardHint: 'Gardez les noms standard, sauf si votre code lit déjà les champs propres à ce service.',
    standardChoices: {
      on: {
        label: 'Standard (OpenID Connect)',
        hint: 'picture, phone_number, updated_at en secondes.',
      },
      off: {
        label: 'Natifs',
        hint: 'avatar, phone, updated_at en texte ISO 8601.',
      },
    },
    refreshGrace: 'Délai de grâce au renouvellement, en secondes',
    refreshGraceHint:
      'De 0 à 60. Pendant ce temps, un jeton de renouvellement remplacé peut encore être échangé contre son successeur.',
    presentation: 'Liens affichés sur la page d’autorisation',
    homePage: 'Page d’accueil',
    privacyPolicy: 'Politique de confidentialité',
    termsOfService: 'Conditions d’utilisation',
    confirmCallbacksHint: 'Nécessaire seulement si vous changez les URL de retour.',
  },

  created: {
    done: (name: string) => `${name} est enregistrée.`,
    title: (name: string) => `Nouveau secret pour ${name}`,
    once: 'Copiez le Client Secret maintenant : il ne sera plus affiché ensuite.',
    keep: 'Gardez le secret sur votre serveur, dans une variable d’environnement. Ne le mettez ni dans le code, ni dans une page, ni dans un dépôt.',
    identifier: 'Client ID',
    secret: 'Client Secret',
    recognized: 'Quatre derniers caractères :',
    gone: 'Ce secret a été affiché à sa création et ne peut plus l’être.',
    lost: 'Vous ne l’avez pas copié ? Créez-en un autre : l’actuel peut rester actif sept jours au plus.',
    edit: 'Modifier',
    integrate: 'Intégrer le bouton et le code',
    another: 'Créer un autre secret',
  },

  tasks: {
    title: 'À faire',
    noSecret: 'Aucun secret actif : personne ne peut se connecter.',
    noSecretForTokens: 'Aucun secret actif : l’application ne peut pas obtenir de jetons.',
    noApi: 'Aucun accès à une API pour l’instant.',
    requestAccess: 'Demander l’accès à une API',
    newSecret: 'Créer un secret',
    lastSecretEnds: 'Le dernier secret expire le',
    refused: (count: number) =>
      count === 1
        ? 'Une requête a été refusée ces sept derniers jours.'
        : `${count} requêtes ont été refusées ces sept derniers jours.`,
    seeRefused: 'Voir pourquoi',
    nobodyYet: 'Personne ne s’est encore connecté.',
    integrate: 'Intégrer',
  },
  detail: {
    verification: 'Vérification',
    neverUsed: 'jamais utilisé',
    noSecrets: 'aucun actif',
    lastUsed: 'utilisé',
    endsOn: 'expire le',
    see: 'Voir',
    settings: 'Réglages',
    edit: 'Modifier',
    scopes: 'Portées',
    people: 'Utilisateurs',
    unverifiedHint: 'La page d’autorisation le signale à vos utilisateurs.',
    state: 'État',
    integrate: 'Intégrer',
    diagnostics: 'Diagnostic',
    secrets: 'Secrets',
    delete: 'Supprimer l’application',
    done: {
      changed: 'Vos modifications ont été enregistrées.',
      logo: 'Le logo a été enregistré.',
      'logo-removed': 'Le logo a été supprimé.',
      offered:
        'La proposition est enregistrée. Si un compte utilise cette adresse, il la verra parmi ses applications ; si l’adresse est vérifiée, un e‑mail l’en avertit.',
      accepted:
        'Cette application est maintenant la vôtre. Créez un nouveau secret et enregistrez vos clés et vos URL.',
    },
  },

  edit: {
    title: (name: string) => `Réglages ${withDe(name)}`,
    action: 'Enregistrer',
    fixed: 'Le type ne peut pas être changé après l’enregistrement.',
    verified: 'Tout changement de nom, de logo ou d’URL de retour annule la vérification.',
  },

  secrets: {
    title: (name: string) => `Secrets ${withDe(name)}`,
    lead: 'Un secret n’est affiché qu’une fois, à sa création.',
    live: 'Secrets actifs',
    none: 'Aucun secret actif : l’application ne peut pas obtenir de jetons. Créez un secret ci-dessous.',
    number: (number: number) => `Secret n° ${number}`,
    /** For use within a sentence. */
    named: (number: number) => `le secret n° ${number}`,
    created: 'Créé le',
    endsWith: 'Quatre derniers caractères',
    used: 'Dernière utilisation',
    never: 'Jamais',
    end: 'Révoquer',
    rotate: 'Créer un nouveau secret',
    rotateHint: 'Deux secrets actifs au plus. Les plus anciens sont révoqués immédiatement.',
    overlap: 'Garder le secret actuel actif',
    overlaps: {
      '0': 'non, révocation immédiate',
      '3600': 'pendant une heure',
      '86400': 'pendant un jour',
      '259200': 'pendant trois jours',
      '604800': 'pendant sept jours',
    },
    rotateAction: 'Créer le secret',
    done: {
      ended: 'Le secret a été révoqué.',
    },
    endTitle: (number: number) => `Révoquer le secret n° ${number} ?`,
    endText: 'Les requêtes qui utilisent ce secret seront refusées immédiatement.',
    endLast: 'Aucun autre secret ne reste actif : l’application ne pourra plus obtenir de jetons.',
    endAction: 'Révoquer ce secret',
  },

  logo: {
    part: 'Logo',
    title: (name: string) => `Logo ${withDe(name)}`,
    lead: 'Affiché à vos utilisateurs sur la page d’autorisation, dans un carré de 256 pixels.',
    file: 'Fichier',
    fileHint: 'PNG, JPEG ou WebP, 2 Mo au plus. L’image est recadrée en carré autour de son centre.',
    remove: 'Supprimer le logo',
  },

  errors: {
    nameMissing: 'Saisissez le nom de l’application.',
    nameTooLong: 'Le nom ne peut pas dépasser 100 caractères.',
    redirectUriMissing: 'Saisissez au moins une URL de retour.',
    redirectUriOfMachine: 'Une application de machine à machine n’a pas d’URL de retour.',
    tooManyRedirectUris: 'Saisissez 20 URL de retour au plus.',
    uriTooLong: 'elle dépasse 2 000 caractères.',
    uriCharacters: 'elle contient une espace, un caractère de contrôle ou un caractère non ASCII.',
    uriWildcard: 'elle contient un caractère générique (*) ou une barre oblique inverse.',
    uriFragment: 'elle contient un fragment (#).',
    uriNotAbsolute: 'ce n’est pas une URL complète, comme https://exemple.fr/callback.',
    uriUserInfo: 'elle contient un nom d’utilisateur ou un mot de passe.',
    uriReservedParameter: 'elle contient code, state, iss ou error, qui sont réservés à la réponse.',
    uriNotHttps: 'elle doit commencer par https:// (http:// seulement en mode développement).',
    uriScheme:
      'elle doit commencer par https://, par http:// sur l’adresse locale, ou par un schéma qui contient un point, comme com.exemple.app',
    scopesMissing: 'Choisissez au moins une portée.',
    scopeUnknown: 'L’une des portées choisies n’existe pas.',
    graceOutOfRange: 'Saisissez un nombre entier de 0 à 60.',
    linkInvalid:
      'Saisissez une URL complète, qui commence par https:// (http:// seulement en mode développement).',
    tooMany: 'Trop de valeurs : 20 entrées au plus, ou 5 clés.',
    backchannelInvalid: 'Saisissez une URL https complète, sans fragment.',
    keysUnreadable:
      'Ce n’est pas un JWK Set : collez les clés publiques en JSON, dans une liste nommée keys.',
    keyPrivate:
      'L’une de ces clés est privée. Ne collez que des clés publiques, et remplacez cette paire, dont la clé privée a été exposée.',
    keyUnsupported:
      'L’une de ces clés n’est pas prise en charge. Utilisez RSA (2048 bits au moins), P-256 ou Ed25519.',
  },
  line: (number: number, error: string) => `Ligne ${number} : ${error}`,
  problems: {
    typeMissing: 'Choisissez le type de l’application.',
    fileMissing: 'Choisissez un fichier.',
    fileUnreadable:
      'Nous ne parvenons pas à lire ce fichier. Choisissez une image PNG, JPEG ou WebP, sans animation.',
    emailInvalid: 'Saisissez une adresse e‑mail complète.',
    overlapInvalid: 'Choisissez une des durées proposées.',
  },
};
