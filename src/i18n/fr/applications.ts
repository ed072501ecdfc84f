// Owns the French texts of: applications (the console, where people register and look after what others sign in to).

const several = (count: number, one: string, many: string): string => (count < 2 ? one : many);

export const applications = {
  /** What stands before the last part of a page’s way. */
  way: 'Chemin',
  list: {
    title: 'Vos applications',
    lead: (service: string) =>
      `Une application enregistrée ici peut proposer « Se connecter avec ${service} » à ses visiteurs.`,
    register: 'Enregistrer une application',
    empty: 'Vous n’avez pas encore d’application.',
    emptyAdvice:
      'Pour commencer, il suffit d’un nom et de l’adresse à laquelle vos visiteurs reviennent après s’être connectés. Presque tout se modifie ensuite.',
    full: (limit: number) =>
      `Vous avez atteint la limite de ${limit} applications par compte. Pour en enregistrer une autre, supprimez-en une ou demandez aux responsables de ce service.`,
    offers: 'Proposées par d’autres personnes',
    offeredBy: 'Proposée par',
    offerEnds: 'Jusqu’au',
    see: 'Voir la proposition',
    seeOf: (name: string) => `de l’application ${name}`,
    decline: 'Refuser',
    declineOf: (name: string) => `l’application ${name}`,
    identifier: 'Client ID',
    created: 'Enregistrée le',
  },
  type: 'Type',
  types: {
    confidential: 'Application web avec serveur',
    public: 'Application dans le navigateur ou mobile',
  },
  typeTags: { confidential: 'confidentielle', public: 'publique' },
  states: {
    suspended: 'suspendue',
    verified: 'vérifiée',
    unverified: 'non vérifiée',
  },
  suspended:
    'Cette application est suspendue par les responsables de ce service : personne ne peut s’y connecter. Vous pouvez encore la modifier ; pour lever la suspension, adressez-vous à eux.',
  held: {
    own: 'Cette application est suspendue depuis que vous avez dit d’un changement « ce n’était pas moi » : elle a été inscrite, reçue ou rétablie par la personne en question. Personne ne peut s’y connecter. Examinez ses réglages, ses URL de callback et ses secrets, puis supprimez-la ou levez la suspension.',
    former:
      'Cette application est suspendue depuis que le compte dont elle vient dit ne pas l’avoir cédée. Personne ne peut s’y connecter. Les responsables de ce service décident à qui elle est : adressez-vous à eux.',
  },

  form: {
    name: 'Nom de l’application',
    nameHint: 'Vos visiteurs le liront quand l’application demandera leur accord.',
    redirectUris: 'URL de callback',
    redirectUrisHint:
      'L’adresse à laquelle vos visiteurs reviennent avec un code, une par ligne (20 au plus). Elle est comparée caractère par caractère : la barre oblique finale et le port comptent.',
    redirectUrisTls: 'Elle commence par https://.',
    redirectUrisHere:
      'Ce service est en développement : http:// y est admis, par exemple http://localhost:3000/callback.',
    redirectUrisNativeHere:
      'Une application publique peut aussi utiliser un schéma à point, comme com.exemple.app ; sur http://127.0.0.1 son port ne compte pas.',
    redirectUrisNative:
      'Une application publique peut aussi utiliser http://127.0.0.1 (n’importe quel port), http://localhost ou un schéma à point, comme com.exemple.app.',
    scopes: 'Ce que l’application peut demander (scopes)',
    scopesHint: 'Chaque personne voit cette liste et donne ou refuse son accord. Demandez le moins possible.',
    scopeHints: {
      openid: 'Reconnaître la personne : un identifiant stable (sub). Presque toujours nécessaire.',
      profile:
        'Son nom, son image et la date à laquelle son profil a changé. Sans lui, le profil ne peut pas être lu.',
      email: 'Son adresse e-mail, et si elle est vérifiée.',
      phone: 'Son numéro de téléphone, si elle en a donné un.',
    },
    typeLegend: 'Quel type d’application ?',
    typeHint: 'Ce choix est définitif : il décide si l’application reçoit un secret.',
    typeHints: {
      confidential: 'Un serveur garde le Client Secret, hors de portée de vos visiteurs.',
      public:
        'Page web sans serveur, application mobile ou de bureau : rien n’y reste secret. Pas de Client Secret ; PKCE est obligatoire.',
    },
    logoutAddressesHint:
      'Seulement si votre application déconnecte aussi d’ici. Une par ligne, comparées caractère par caractère (post_logout_redirect_uri).',
    standardLegend: 'Quel code allez-vous utiliser ?',
    standardHint: 'Ce choix fixe les noms et les types du profil. Il peut changer à tout moment.',
    standardChoices: {
      on: {
        label: 'Une bibliothèque OpenID Connect, quelle qu’elle soit',
        hint: 'Mode standard : picture, phone_number, updated_at en secondes, et le profil dans l’id_token aussi. Certaines bibliothèques ne marchent pas autrement, comme celles pour Rust et Django.',
      },
      off: {
        label: 'Du code écrit pour ce service',
        hint: 'Les noms de ce service : avatar, phone, updated_at en texte ISO 8601. Lire le profil demande le scope profile.',
      },
    },
    refreshGrace: 'Tolérance au renouvellement, en secondes',
    refreshGraceHint:
      'De 0 à 60. Pendant ce délai, un refresh token qui vient d’être remplacé donne encore le même successeur : utile si des réponses se perdent ou si deux processus renouvellent en même temps. Au-delà, sa réutilisation met fin à l’accès.',
    presentation: 'Liens montrés au moment de l’accord',
    homePage: 'Page d’accueil',
    privacyPolicy: 'Politique de confidentialité',
    termsOfService: 'Conditions d’utilisation',
    linkHint: 'Facultatif. Une adresse complète.',
    confirmCallbacksHint:
      'Votre connexion date de plus de 15 minutes. Il n’est demandé que si vous changez les URL de callback.',
  },

  create: {
    title: 'Enregistrer une application',
    action: 'Enregistrer l’application',
    verifyEmail: 'Vérifiez d’abord votre adresse e-mail',
    verifyEmailText: (email: string) =>
      `Avant d’enregistrer ou de reprendre une application, confirmez que l’adresse ${email} est bien la vôtre. Nous pourrons ainsi vous prévenir s’il lui arrive quelque chose.`,
    verifyEmailAction: 'Vérifier mon adresse',
  },

  created: {
    title: (name: string) => `${name} est enregistrée`,
    rotatedTitle: (name: string) => `Nouveau secret de ${name}`,
    once: 'Copiez le Client Secret maintenant : il n’est montré qu’à sa création.',
    keep: 'Gardez le secret sur votre serveur, dans une variable d’environnement. Ne le mettez ni dans le code, ni dans une page, ni dans un dépôt.',
    noSecret: 'Une application publique n’a pas de secret : elle s’identifie par son Client ID et par PKCE.',
    identifier: 'Client ID',
    secret: 'Client Secret',
    copyHint: 'Un clic sur la valeur la sélectionne en entier.',
    shownUntil: 'Vous pouvez recharger cette page ou y revenir, dans ce navigateur, jusqu’au',
    cost: 'Ensuite, plus rien ne montre ce secret : s’il est perdu, il faudra en créer un autre et l’installer à sa place.',
    copiedAction: 'J’ai copié le secret',
    recognised: 'Plus tard, vous le reconnaîtrez à ses quatre derniers caractères :',
    otherUntil: 'fonctionne encore jusqu’au',
    otherStays: 'fonctionne encore, sans date de fin.',
    gone: 'Ce secret ne peut plus être montré.',
    lost: 'Il n’a pas été copié ? Créez-en un autre : celui-ci fonctionne encore aussi longtemps que vous le voulez.',
    integrate: 'Intégrer le bouton et le code',
    secrets: 'Voir les secrets',
  },

  detail: {
    settings: 'Réglages',
    none: 'aucun',
    seconds: (count: number) => several(count, `${count} seconde`, `${count} secondes`),
    people: 'Personnes connectées',
    mode: 'Mode',
    modes: { on: 'OpenID Connect standard', off: 'contrat de ce service' },
    unverifiedHint:
      'La page d’accord le dit à vos visiteurs. Les responsables de ce service peuvent vérifier une application.',
    state: 'État',
    edit: 'Modifier',
    logo: 'Logo',
    changeLogo: 'Changer le logo',
    integrate: 'Intégrer',
    integrateHint: 'Le bouton, et du code prêt à copier pour votre bibliothèque.',
    diagnostics: 'Diagnostic',
    diagnosticsHint: 'Les demandes refusées et pourquoi, avec ce qu’il reste à mettre en place.',
    secrets: 'Secrets',
    secretsHint: 'Remplacer le Client Secret sans interruption, ou y mettre fin.',
    tools: 'Mettre en service',
    further: 'Céder ou supprimer',
    transfer: 'Céder à un autre compte',
    delete: 'Supprimer l’application',
    offered: (email: string) => `Proposée à ${email} ; rien ne change tant que cette personne n’accepte pas.`,
    done: {
      changed: 'Les changements sont enregistrés, et valent dès maintenant.',
      logo: 'Le logo est enregistré.',
      'logo-removed': 'Le logo est retiré.',
      offered:
        'La proposition est enregistrée. Si un compte utilise cette adresse, il la verra parmi ses applications.',
      released: 'La suspension est levée : on peut de nouveau s’y connecter.',
      'offer-cancelled': 'La proposition est retirée.',
      accepted:
        'Cette application est maintenant la vôtre. Créez un secret à vous, et inscrivez vos clés et vos adresses.',
    },
  },

  edit: {
    title: (name: string) => `Modifier ${name}`,
    action: 'Enregistrer',
    fixed: 'Le type ne change pas après l’enregistrement.',
    verified:
      'Cette application est vérifiée. Avec un autre nom, un autre logo ou d’autres URL de callback, elle devra l’être de nouveau.',
    lastWins:
      'Les changements valent immédiatement. Si cette page est ouverte ailleurs, c’est le dernier enregistrement qui reste.',
    added: 'L’adresse refusée a été ajoutée à la dernière ligne. Vérifiez-la avant d’enregistrer.',
  },

  secrets: {
    title: (name: string) => `Secrets de ${name}`,
    lead: 'Un secret n’est montré qu’à sa création : nous n’en gardons qu’une empreinte et ses quatre derniers caractères, qui vous disent lequel est installé où.',
    notCopied: 'pas encore copié',
    show: 'Montrer le secret',
    live: 'Secrets en vigueur',
    none: 'Aucun secret n’est en vigueur : l’application ne peut plus obtenir de jetons. Créez un nouveau secret ci-dessous.',
    number: (number: number) => `Secret n° ${number}`,
    created: 'Créé le',
    ends: 'Prend fin le',
    noEnd: 'sans date de fin',
    until: 'jusqu’au',
    endsWith: 'Se termine par',
    nowInForce: 'Secrets en vigueur désormais :',
    willRemain: 'Restera en vigueur :',
    endsToo:
      'Ensuite, l’application n’aura plus de secret, et ne pourra plus connecter personne. Créez-en un autre avant cette date.',
    endsAtOnce: 'Prendra donc fin dès la création du nouveau :',
    used: 'Dernière utilisation',
    never: 'jamais',
    end: 'Y mettre fin',
    endOf: (number: number) => `au secret n° ${number}`,
    rotate: 'Créer un nouveau secret',
    rotateHint:
      'Installez le nouveau sur vos serveurs pendant que le précédent fonctionne encore. Deux secrets au plus sont en vigueur à la fois : tout autre prend fin immédiatement.',
    overlap: 'Le secret le plus récent fonctionne encore pendant',
    overlaps: {
      '0': 'pas du tout',
      '3600': 'une heure',
      '86400': 'un jour',
      '259200': 'trois jours',
      '604800': 'sept jours',
    },
    rotateAction: 'Créer le secret',
    done: {
      ended: 'Ce secret a pris fin. Il est refusé dès maintenant.',
      copied: 'Le nouveau secret est en vigueur. Plus rien ne le montre.',
    },
    endTitle: (number: number) => `Mettre fin au secret n° ${number} ?`,
    endText:
      'Toute demande qui l’utilise sera refusée immédiatement. Les personnes connectées le restent, à condition que l’application ait un autre secret.',
    endLast:
      'C’est le seul secret en vigueur. Sans lui, l’application ne peut plus connecter personne ni renouveler aucun accès, jusqu’à ce que vous en créiez un autre. Si vous voulez seulement le remplacer, créez d’abord le nouveau.',
    endAction: 'Mettre fin à ce secret',
    keep: 'Le garder',
    back: 'Ne rien changer',
  },

  logo: {
    title: (name: string) => `Logo de ${name}`,
    lead: 'Il est montré à vos visiteurs au moment de l’accord, dans un carré de 256 pixels.',
    file: 'Fichier',
    fileHint: 'PNG, JPEG ou WebP, 2 Mo au plus. L’image est recadrée en carré autour de son centre.',
    action: 'Enregistrer le logo',
    remove: 'Retirer le logo',
    current: 'Logo actuel',
  },

  release: {
    title: (name: string) => `Lever la suspension de ${name} ?`,
    text: 'On pourra de nouveau s’y connecter aussitôt, avec les réglages, les URL de callback et les secrets qu’elle a maintenant. Ce qu’elle détenait avant reste terminé.',
    action: 'Lever la suspension',
  },

  remove: {
    title: (name: string) => `Supprimer ${name} ?`,
    people: (count: number) =>
      several(
        count,
        count === 0
          ? 'Personne n’est connecté par cette application.'
          : 'Une personne est connectée par cette application.',
        `${count} personnes sont connectées par cette application.`,
      ),
    text: 'Tous ses accès, codes et jetons cessent immédiatement, et son Client ID ne servira plus jamais. Cela ne peut pas être annulé.',
    name: 'Nom de l’application',
    nameHint: (name: string) => `Pour confirmer, recopiez : ${name}`,
    action: 'Supprimer définitivement',
    cancel: 'La garder',
    done: 'L’application est supprimée. Plus personne ne peut s’y connecter.',
  },

  transfer: {
    title: (name: string) => `Céder ${name}`,
    lead: 'L’application passe à un autre compte de ce service, avec les accords de ses visiteurs. Vos clés, vos adresses de déconnexion et, quand l’autre personne le décide, vos secrets prennent fin. Rien ne change tant que l’autre personne n’a pas accepté, depuis sa liste d’applications.',
    email: 'Adresse e-mail de l’autre compte',
    emailHint: 'Nous ne dirons pas si un compte utilise cette adresse. La proposition tient sept jours.',
    own: 'C’est votre propre adresse.',
    action: 'Proposer l’application',
    pending: 'Proposition en cours',
    pendingTo: 'Proposée à',
    pendingUntil: 'Jusqu’au',
    replace: 'Proposer à quelqu’un d’autre remplace cette proposition.',
    cancel: 'Retirer la proposition',
    acceptTitle: (name: string) => `Recevoir ${name} ?`,
    acceptText:
      'Vous en deviendrez responsable, et la personne qui la propose n’y aura plus accès. Voici tout ce qui vient avec elle.',
    from: 'Proposée par',
    ends: 'Ce qui prend fin dès que vous acceptez',
    keys: 'Clés publiques',
    backchannel: 'Adresse prévenue des déconnexions',
    postLogout: 'Adresses de retour après la déconnexion',
    stays: 'Ce qui vient avec elle',
    secrets: 'Secrets, que l’ancien propriétaire connaît',
    created: 'créé le',
    until: 'valable jusqu’au',
    scopes: 'Scopes',
    resources: 'API pour lesquelles elle obtient des jetons',
    serviceScopes: 'Scopes demandés pour son propre compte',
    serviceTokens: 'Jetons obtenus pour son propre compte',
    tokens: (number: number) => (number === 0 ? 'aucun' : `${number} en cours de validité`),
    none: 'aucune',
    noScope: 'aucun',
    noSecret: 'aucun',
    callbacks: 'URL de callback à garder',
    callbacksHint:
      'Les visiteurs y arrivent avec le code qui ouvre leur session. Décochez celles qui ne sont pas à vous.',
    overlap: 'Les secrets de l’ancien propriétaire fonctionnent encore',
    overlapHint:
      'Jusque-là, il peut se faire passer pour l’application. S’ils prennent fin tout de suite, tout jeton délivré prend fin aussi : les visiteurs se reconnectent, et vous créez un nouveau secret.',
    publicEnds:
      'Tout jeton délivré à l’application prend fin dès que vous acceptez : les visiteurs se reconnectent.',
    changed:
      'L’application a changé depuis l’affichage de cette page. Vérifiez de nouveau ce qui vient avec elle.',
    accept: 'Accepter l’application',
    later: 'Décider plus tard',
    declined: 'Vous avez refusé cette application. Son propriétaire la garde.',
    gone: 'Cette proposition n’est plus valable.',
  },

  faults: {
    nameMissing: 'Donnez un nom à l’application.',
    nameTooLong: 'Choisissez un nom de 100 caractères au plus.',
    callbackMissing: 'Indiquez au moins une URL de callback.',
    tooManyCallbacks: 'Indiquez 20 URL de callback au plus.',
    uriTooLong: 'elle dépasse 2 000 caractères.',
    uriCharacters: 'elle contient une espace, un caractère de contrôle ou un caractère non ASCII.',
    uriWildcard: 'elle contient une barre oblique inverse ou un astérisque.',
    uriFragment: 'elle contient un fragment (#).',
    uriNotAbsolute: 'ce n’est pas une adresse complète, comme https://exemple.fr/callback.',
    uriUserInfo: 'elle contient un nom d’utilisateur ou un mot de passe.',
    uriOwnParameter: 'elle contient déjà code, state, iss ou error, que la réponse ajoute elle-même.',
    uriNotHttps: 'elle doit commencer par https://',
    uriScheme:
      'elle doit commencer par https://, par http:// sur l’adresse locale, ou par un schéma à point, comme com.exemple.app',
    scopesMissing: 'Choisissez au moins un scope.',
    scopeUnknown: 'Un des scopes choisis n’existe pas.',
    graceOutOfRange: 'Indiquez un nombre entier de 0 à 60.',
    linkInvalid: 'Indiquez une adresse complète, qui commence par https://',
  },
  /** What is said instead where plain http is allowed. */
  faultsInDevelopment: {
    uriNotAbsolute: 'ce n’est pas une adresse complète, comme http://localhost:3000/callback.',
    uriNotHttps: 'elle doit commencer par https:// ou, sur ce service en développement, par http://',
    uriScheme:
      'elle doit commencer par https://, par http:// (ce service est en développement), ou par un schéma à point, comme com.exemple.app',
    linkInvalid: 'Indiquez une adresse complète, qui commence par https:// ou http://',
  },
  /** A fault of one line of the callback URLs. */
  line: (number: number, fault: string) => `Ligne ${number} : ${fault}`,
  problems: {
    typeMissing: 'Choisissez le type de l’application.',
    fileMissing: 'Choisissez un fichier.',
    fileUnreadable:
      'Nous n’avons pas pu lire cette image. Choisissez un fichier PNG, JPEG ou WebP, sans animation.',
    nameDiffers: 'Ce n’est pas le nom de l’application.',
    emailInvalid: 'Indiquez une adresse e-mail complète.',
    overlapInvalid: 'Choisissez une des durées proposées.',
  },
};
