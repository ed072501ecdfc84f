// French: administration of the identity providers that users can sign in with.

import { withDe } from '../elision.ts';

export const identityProviders = {
  lead: (service: string) =>
    `Les utilisateurs peuvent se connecter à ${service} avec leur compte chez ces fournisseurs.`,
  folded:
    'Les quatre premiers ont un bouton sur la page de connexion. Les autres sont sous « Autres services ».',
  empty:
    'Aucun fournisseur pour l’instant. Les utilisateurs se connectent avec un mot de passe ou une clé d’accès.',
  add: 'Ajouter un fournisseur',
  full: (maximum: number) => `Vous avez ${maximum} fournisseurs, le maximum.`,
  choose: 'Quel fournisseur voulez-vous ajouter ?',
  alreadyAdded: 'Déjà ajouté : ouvrez-le pour le modifier.',
  addTitle: (preset: string, name: string) =>
    preset === 'oidc' ? 'Ajouter un fournisseur OpenID Connect' : `Ajouter ${name}`,
  submit: 'Ajouter le fournisseur',
  edit: 'Modifier',
  editTitle: (name: string) => `Modifier ${name}`,
  save: 'Enregistrer',
  stale:
    'Le fournisseur a changé depuis l’ouverture de cette page. Comparez votre saisie à ses valeurs actuelles.',

  order: 'Ordre',
  name: 'Nom',
  preset: 'Type',
  links: 'Comptes liés',
  signIns: 'Connexions, 30 jours',
  state: 'État',
  enabled: 'activé',
  disabled: 'désactivé',
  disabledSince: 'Désactivé depuis le',
  added: 'Ajouté le',
  moveUp: 'Monter',
  moveDown: 'Descendre',
  secretState: 'Secret',
  privateKey: 'Clé privée',
  secretStored: 'enregistré, caché',
  keyStored: 'enregistrée, cachée',
  secretUnreadable: 'illisible avec SECRET_KEY : remplacez-le',
  keyUnreadable: 'illisible avec SECRET_KEY : remplacez-la',
  neverVerified: 'sans objet : ce fournisseur n’indique pas si une adresse est vérifiée',
  noDomains: 'aucun : les adresses de ce fournisseur restent à vérifier',
  noAcrs: 'aucune',
  allTenants: 'tous',

  presets: {
    oidc: 'OpenID Connect',
    google: 'Google',
    microsoft: 'Microsoft',
    apple: 'Apple',
    gitlab: 'GitLab',
    proconnect: 'ProConnect',
    github: 'GitHub',
  },
  presetHints: {
    oidc: 'Tout autre fournisseur, par l’URL de son émetteur',
    google: 'Comptes personnels et Google Workspace',
    microsoft: 'Comptes professionnels Microsoft Entra',
    apple: 'Se connecter avec Apple',
    gitlab: 'GitLab.com ou votre propre serveur',
    proconnect: 'Agents publics et professionnels, en France',
    github: 'Comptes GitHub',
  },
  redirectUri: 'URL de retour',
  setup: {
    oidc: 'Chez le fournisseur, créez un client confidentiel (application web) et enregistrez-y cette URL de retour.',
    google:
      'Dans Google Auth Platform, sous « Clients », créez un client « Application Web » et ajoutez cette URL aux « URI de redirection autorisés ».',
    microsoft:
      'Dans le centre d’administration Microsoft Entra, sous « Inscriptions d’applications », ajoutez cette URL comme URI de redirection de la plateforme « Web », puis créez un secret sous « Certificats et secrets ».',
    apple:
      'Dans « Certificates, Identifiers & Profiles », créez un Services ID, ajoutez cette URL aux « Return URLs » de « Sign in with Apple », puis créez une clé pour « Sign in with Apple ».',
    gitlab:
      'Dans GitLab, sous « Modifier le profil > Applications », créez une application confidentielle avec cette URL de retour et les portées openid, profile et email.',
    proconnect:
      'Dans l’espace partenaires de ProConnect, créez une application et ajoutez cette URL à ses URL de connexion.',
    github:
      'Sur GitHub, sous « Settings > Developer settings > OAuth Apps », créez une application avec cette URL comme « Authorization callback URL ».',
  },
  openConsole: (preset: string) => `Ouvrir la console ${withDe(preset)}`,

  fields: {
    name: 'Nom',
    nameHint: 'Affiché sur le bouton, par exemple « Continuer avec Exemple ».',
    id: 'Identifiant',
    idHint:
      'Termine l’URL de retour, avant /callback. Si vous le modifiez ici, modifiez aussi l’URL ci-dessous. Une fois le fournisseur ajouté, il est définitif.',
    issuer: 'URL de l’émetteur',
    issuerHint:
      'La valeur du champ issuer dans le document de découverte, au caractère près. Elle ne pourra plus être modifiée.',
    tenants: 'Tenants autorisés',
    tenantsHint: 'Un « ID de l’annuaire (locataire) » par ligne. Vide : tous les tenants.',
    personalAccounts: 'Comptes personnels',
    personalAccountsChoice: 'Autoriser aussi les comptes personnels (Outlook.com, Xbox)',
    personalAccountsHint: 'Seulement si aucun tenant n’est indiqué.',
    tokenAuth: 'Authentification du client',
    tokenAuthAutomatic: 'Selon le document de découverte',
    clientId: 'Client ID',
    clientIdHints: {
      oidc: 'Attribué par le fournisseur.',
      google: 'Se termine par « .apps.googleusercontent.com ».',
      microsoft: '« ID d’application (client) » sur la page d’accueil de l’inscription.',
      apple: 'L’identifiant du Services ID, par exemple « fr.exemple.connexion ».',
      gitlab: '« Application ID » sur la page de l’application.',
      proconnect: 'Affiché dans l’espace partenaires.',
      github: '« Client ID » sur la page de l’application.',
    },
    secret: 'Client Secret',
    secretHint: 'Chiffré dans la base de données. Il ne sera plus affiché.',
    secretReplaceHint: 'Laissez ce champ vide pour garder le secret actuel.',
    microsoftSecretHint: 'La « Valeur » du secret, pas son identifiant.',
    appleKey: 'Clé privée',
    appleKeyHint: 'Le contenu du fichier .p8. Chiffrée dans la base de données, elle ne sera plus affichée.',
    appleKeyReplaceHint: 'Laissez ce champ vide pour garder la clé actuelle.',
    teamId: 'Team ID',
    teamIdHint: 'Dix caractères, sous « Membership details ».',
    keyId: 'Key ID',
    keyIdHint: 'Dix caractères, à côté de la clé sous « Keys ».',
    emailDomains: 'Domaines de confiance',
    emailDomainsHint:
      'Un domaine par ligne, par exemple exemple.fr. Seules les adresses de ces domaines que le fournisseur indique comme vérifiées sont acceptées sans nouvelle vérification.',
    mfaAcrs: 'Valeurs acr multifacteurs',
    mfaAcrsHint: 'Une valeur par ligne. Une connexion avec l’une d’elles compte comme acr 2.',
  },

  errors: {
    idInvalid:
      'L’identifiant ne contient que des minuscules, des chiffres et des tirets, au plus 40 caractères, et ne commence pas par un tiret.',
    idReserved: 'Cet identifiant est réservé. Choisissez-en un autre.',
    nameTaken:
      'Un autre fournisseur a déjà ce nom, affiché sur son bouton de connexion. Choisissez-en un autre.',
    idTaken: 'Un autre fournisseur a déjà cet identifiant. Choisissez-en un autre.',
    nameMissing: 'Saisissez le nom à afficher sur le bouton.',
    nameTooLong: 'Le nom ne peut pas dépasser 100 caractères.',
    issuerMissing: 'Saisissez l’URL de l’émetteur.',
    issuerInvalid: 'Saisissez une URL complète, par exemple https://connexion.exemple.fr.',
    issuerNotHttps: 'L’URL de l’émetteur doit commencer par https://.',
    issuerNotLoopback:
      'L’URL de l’émetteur doit commencer par https://. En développement, http:// n’est accepté que pour localhost et 127.0.0.1.',
    issuerHasQuery: 'Retirez de l’URL tout ce qui suit « ? » ou « # ».',
    issuerIsDocument:
      'C’est l’URL du document de découverte. Retirez « /.well-known/… » et gardez la valeur du champ issuer.',
    issuerIsThisService: 'C’est l’URL de ce service. Saisissez celle d’un autre fournisseur.',
    issuerTaken: 'Un autre fournisseur a déjà cet émetteur. Modifiez-le au lieu d’en ajouter un second.',
    clientIdMissing: 'Saisissez le Client ID que le fournisseur a attribué à ce service.',
    clientIdInvalid: 'Un Client ID ne contient ni espace ni lettre accentuée. Copiez-le de nouveau.',
    secretMissing: 'Saisissez le secret que le fournisseur a attribué à ce service.',
    secretInvalid: 'Un secret tient sur une ligne, sans lettre accentuée. Copiez-le de nouveau.',
    secretIsId:
      'C’est l’identifiant du secret. Copiez la colonne « Valeur » ; elle n’est visible qu’à la création.',
    appleKeyInvalid:
      'Ce n’est pas une clé privée d’Apple. Collez tout le fichier .p8, de « BEGIN PRIVATE KEY » à « END PRIVATE KEY ».',
    teamIdInvalid: 'Un Team ID a dix lettres majuscules ou chiffres.',
    keyIdInvalid: 'Un Key ID a dix lettres majuscules ou chiffres.',
    tooManyEntries: 'Saisissez 50 lignes au plus.',
    tenantInvalid: 'Saisissez l’identifiant du tenant (un UUID), pas son nom de domaine.',
    emailDomainInvalid: 'Saisissez un nom de domaine complet, sans « * », par exemple exemple.fr.',
    mfaAcrInvalid: 'Une valeur acr ne contient pas d’espace.',
  },
  entryError: (entry: string, error: string) => `« ${entry} » : ${error}`,
  tooMany: (maximum: number) =>
    `Il y a déjà ${maximum} fournisseurs. Retirez-en un avant d’en ajouter un autre.`,

  disable: 'Désactiver',
  disableText:
    'Plus personne ne pourra se connecter avec ce fournisseur, même si la connexion a déjà commencé. Les comptes restent liés : vous pourrez le réactiver.',
  enable: 'Réactiver',
  enableText: 'Les personnes dont le compte est lié pourront de nouveau se connecter avec ce fournisseur.',
  remove: 'Retirer le fournisseur',
  removeText: (count: number) =>
    count === 0
      ? 'Le fournisseur et ses réglages sont supprimés. Aucun compte n’y est lié.'
      : `Le fournisseur et ses réglages sont supprimés, et ${
          count === 1 ? 'un compte lié est dissocié' : `${count} comptes liés sont dissociés`
        }. Ajouter de nouveau ce fournisseur ne rétablit pas les liens.`,
  dependent: (count: number) =>
    count === 1
      ? 'Un compte n’a aucun autre moyen de se connecter. Son titulaire devra demander un mot de passe par e‑mail.'
      : `${count} comptes n’ont aucun autre moyen de se connecter. Leurs titulaires devront demander un mot de passe par e‑mail.`,
  typeId: 'Identifiant du fournisseur, pour confirmer',
  idDiffers: 'Cet identifiant n’est pas celui du fournisseur à retirer.',
  linksDiffer: (count: number) =>
    `Le nombre de comptes liés a changé : ${count} maintenant. Vérifiez ce nombre, puis confirmez de nouveau.`,

  test: {
    action: 'Tester',
    title: (name: string) => `Tester ${name}`,
    lead: 'Le test lit la configuration publiée par le fournisseur, présente le Client ID et le secret, puis vous demande de vous connecter. Il ne lie aucun compte et ne conserve aucun jeton.',
    start: 'Commencer le test',
    again: 'Recommencer',
    back: 'Revenir au fournisseur',
    tooMany: 'Vous avez atteint la limite de dix tests par heure. Réessayez dans quelques minutes.',
    expired: 'Ce résultat n’est plus disponible. Recommencez le test.',
    result: 'Résultat',
    done: 'Tout fonctionne : le fournisseur vous a reconnu.',
    failedAt: (step: string) => `Le test a échoué à l’étape « ${step} ».`,
    signInNeeded: (name: string) =>
      `Les vérifications automatiques ont réussi. Connectez-vous maintenant à ${name} avec votre propre compte pour vérifier le reste.`,
    signIn: (name: string) => `Se connecter à ${name}`,
    states: { passed: 'OK', failed: 'échec', ahead: 'pas encore testé', skipped: 'non testé' },
    seen: 'Reçu',
    issuerFixed:
      'L’URL de l’émetteur ne peut plus être modifiée. Pour la corriger, retirez ce fournisseur, puis ajoutez-le de nouveau.',
    removeProvider: 'Retirer ce fournisseur',
    remedy: 'Que faire',
    steps: {
      document: 'Le document de découverte est lisible',
      issuer: 'Le document désigne cet émetteur',
      endpoints: 'Le document contient les points de terminaison',
      algorithms: 'Un algorithme de signature est accepté',
      keys: 'Les clés de signature sont lisibles',
      credentials: 'Le Client ID et le secret sont acceptés',
      response: 'Le fournisseur accepte la demande de connexion',
      token: 'Le code est échangé contre des jetons',
      id_token: 'L’id_token est authentique',
      profile: 'Le profil est lisible',
    },
    remedies: {
      'not-https':
        'L’URL doit commencer par `https://`. Corrigez l’émetteur, ou la configuration du fournisseur.',
      'not-public':
        'Ce nom de domaine n’existe pas ou ne correspond pas à une adresse IP publique. Vérifiez l’URL de l’émetteur et ses enregistrements DNS.',
      refused:
        'Connexion refusée. Vérifiez que le serveur du fournisseur est démarré, puis le port et le pare-feu.',
      timeout:
        'Le fournisseur a mis plus de trois secondes à répondre. Réessayez ; si cela se répète, contactez-le.',
      'too-large':
        'La réponse dépasse 64 Ko. Vérifiez que l’URL de l’émetteur est bien celle du fournisseur.',
      encoded:
        'La réponse est compressée alors que la requête ne le demandait pas. Désactivez la compression pour cette URL.',
      failed:
        'La connexion a échoué. Vérifiez que le certificat du fournisseur est valable pour ce nom de domaine et signé par une autorité reconnue, puis consultez ses journaux.',
      notTls:
        'Le serveur ne répond pas en HTTPS sur ce port : c’est sans doute un serveur HTTP. Vérifiez le port, ou activez TLS sur ce serveur ou sur le proxy placé devant lui.',
      redirect:
        'Ce service ne suit pas les redirections. Ajoutez le fournisseur avec l’URL finale de l’émetteur, avec ou sans barre oblique finale.',
      not200:
        'Le document attendu n’est pas à cette URL. Vérifiez l’URL de l’émetteur : le document de découverte est à cette URL, suivie de `/.well-known/openid-configuration`.',
      notJson: 'La réponse n’est pas du JSON. C’est peut-être une page web. Vérifiez l’URL de l’émetteur.',
      otherIssuer:
        'Le document désigne un autre émetteur. Retirez ce fournisseur et ajoutez-le avec l’émetteur reçu, au caractère près.',
      endpointMissing:
        'Le fournisseur doit publier ces valeurs. Vérifiez qu’il prend en charge OpenID Connect.',
      endpointInvalid:
        'Cette valeur doit être une URL complète en `https://`. Corrigez la configuration du fournisseur.',
      noAlgorithm:
        'Chez le fournisseur, choisissez la signature RS256, ES256 ou EdDSA pour ce client. Les signatures HS256 ne sont pas acceptées.',
      documentInvalid:
        'Le document de découverte n’est pas conforme. Vérifiez la configuration du fournisseur.',
      noKeys:
        'Le document de clés (`jwks_uri`) ne contient aucune clé utilisable. Chez le fournisseur, publiez une clé RS256, ES256 ou EdDSA.',
      secretUnreadable:
        '`SECRET_KEY` a changé depuis l’enregistrement du secret. Modifiez le fournisseur et saisissez le secret de nouveau.',
      clientRefused:
        'Le fournisseur refuse le Client ID ou le secret. Copiez-les de nouveau ; chez Apple, vérifiez aussi le Team ID, le Key ID et la clé.',
      redirectUriRefused:
        'Enregistrez chez le fournisseur l’URL de retour affichée sur la page précédente, au caractère près.',
      tokenUnexpected:
        'Le point de terminaison des jetons a répondu autrement que prévu. Vérifiez le type de client chez le fournisseur : application web confidentielle, flux « authorization code ».',
      canceled: 'Vous avez annulé la connexion chez le fournisseur. Recommencez et acceptez la demande.',
      responseRefused:
        'Le fournisseur a refusé la demande de connexion. Vérifiez l’URL de retour et les portées autorisées dans sa console.',
      responseInvalid:
        'La réponse ne vient pas de ce fournisseur ou n’est pas conforme. Recommencez ; si cela se répète, vérifiez l’émetteur.',
      codeRefused:
        'Le fournisseur a refusé son propre code. Recommencez sans attendre, dans une seule fenêtre.',
      clock:
        'Les dates de l’id_token ne sont pas plausibles. Mettez à l’heure l’horloge de ce serveur et celle du fournisseur.',
      tenantRefused:
        'Votre compte appartient à un tenant que ce fournisseur n’autorise pas. Ajoutez-le, ou utilisez un autre compte.',
      idTokenInvalid:
        'L’id_token n’est pas celui attendu. Vérifiez chez le fournisseur le Client ID, l’algorithme de signature et l’émetteur.',
      profileInvalid:
        'Le profil n’a pas pu être lu. Vérifiez chez le fournisseur les portées accordées à ce client.',
    },
    received: 'Informations reçues',
    issuer: 'Émetteur',
    subject: 'Identifiant (sub)',
    verification: 'Vérification',
    emailVerified:
      'Acceptée sans nouvelle vérification : le fournisseur l’indique comme vérifiée, et vous faites confiance à son domaine.',
    emailUnverified: 'À vérifier ici : le fournisseur ne garantit pas qu’elle appartient à l’utilisateur.',
    domainUntrusted: 'À vérifier ici : son domaine n’est pas dans les domaines de confiance.',
    picture: 'Photo',
    absent: 'non fourni',
    multiFactor: 'compte comme plusieurs facteurs (acr 2)',
    oneFactor: 'compte comme un seul facteur (acr 1)',
  },

  testNow: 'Tester maintenant',
  done: {
    add: 'Fournisseur ajouté. Il est déjà sur la page de connexion.',
    edit: 'Modifications enregistrées',
    disable: 'Fournisseur désactivé',
    enable: 'Fournisseur réactivé',
    remove: 'Fournisseur retiré',
    move: 'Ordre modifié',
  },
};
