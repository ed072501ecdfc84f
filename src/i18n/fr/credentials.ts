// French: email address and password pages.

import { withDe } from '../elision.ts';

export const credentials = {
  noMail: {
    text: 'Aucun serveur de messagerie n’est configuré. Contactez votre administrateur.',
  },
  code: 'Code reçu par e‑mail',
  codeAction: 'Vérifier le code',
  codeMissing: 'Saisissez le code à huit chiffres reçu par e‑mail.',
  codeWrong: 'Ce code n’est pas celui de notre dernier e‑mail. Vérifiez-le et réessayez.',
  codeDead: 'Ce code a expiré. Demandez un nouvel e‑mail.',
  codesTooMany:
    'Trop de codes incorrects ont été saisis aujourd’hui. Ouvrez plutôt le lien de l’e‑mail : il est toujours valable.',
  nothingReceived: 'Rien reçu ? Regardez dans les courriers indésirables.',
  resend: 'Renvoyer l’e‑mail',
  resendIn: 'Renvoyer l’e‑mail dans',
  tooManyEmails: 'Trop d’e‑mails ont été demandés. Attendez une heure avant d’en demander un autre.',
  verified: 'vérifiée',
  notVerified: 'pas encore vérifiée',

  email: {
    present: 'Adresse actuelle',
    verify: 'Vérifier cette adresse',
    changeTitle: 'Changer d’adresse',
    newEmail: 'Nouvelle adresse e‑mail',
    newEmailHint: 'Nous y enverrons un lien et un code. Rien ne change avant votre confirmation.',
    action: 'Envoyer l’e‑mail de confirmation',
    waitingTitle: 'En attente de confirmation',
    waiting: (email: string) =>
      `Nous avons envoyé un e‑mail à ${email}. Ouvrez le lien qu’il contient, ou saisissez ici son code.`,
    cancel: 'Annuler ce changement',
    same: 'C’est déjà votre adresse.',
    taken: 'Un autre compte utilise déjà cette adresse. Choisissez-en une autre.',
    done: {
      sent: 'E‑mail envoyé.',
      verified: 'Merci, votre adresse est vérifiée.',
      changed: 'Votre nouvelle adresse est enregistrée et vérifiée.',
      canceled: 'Changement annulé. Votre adresse reste la même.',
    },
  },

  verifyFirst: {
    title: 'Vérifiez d’abord votre adresse e‑mail',
    text: (email: string) =>
      `Cette action nécessite une adresse e‑mail vérifiée. Confirmez que l’adresse ${email} est bien la vôtre : ainsi, personne d’autre ne peut préparer un compte à votre nom.`,
    action: 'Vérifier mon adresse',
    note: 'Pour ajouter des clés d’accès ou un second facteur, vérifiez d’abord votre adresse e‑mail.',
  },

  verify: {
    title: 'Vérifier votre adresse',
    text: (email: string) =>
      `Une fois vérifiée, l’adresse ${email} permet aux applications de vous identifier, et à vous de retrouver l’accès à votre compte.`,
    sentTitle: 'Consultez vos e‑mails',
    sent: (email: string) =>
      `Nous avons envoyé un code à ${email}. Saisissez-le ici, ou ouvrez le lien de l’e‑mail.`,
    send: 'Recevoir l’e‑mail de vérification',
    done: {
      sent: 'E‑mail envoyé.',
      welcome: 'Votre compte est créé. Il reste à vérifier votre adresse.',
    },
    later: 'Plus tard',
  },

  password: {
    text: 'Changer de mot de passe ferme vos autres sessions et révoque l’accès de toutes les applications. Cette session reste ouverte.',
    newPassword: 'Nouveau mot de passe',
    action: 'Changer de mot de passe',
    same: 'C’est déjà votre mot de passe. Choisissez-en un autre.',
    changedMeanwhile: 'Votre mot de passe a été changé ailleurs entre-temps. Recommencez avec le nouveau.',
    done: {
      changed: 'Votre mot de passe a été changé. Vos autres sessions sont fermées.',
      reset:
        'Votre nouveau mot de passe est enregistré et votre session est ouverte. Toutes les autres sessions sont fermées.',
    },
  },

  forgot: {
    withoutPassword: 'Pas de mot de passe ?',
    byRecoveryCode: 'Utiliser un code de secours',
    link: 'Mot de passe oublié ?',
    title: 'Mot de passe oublié',
    text: 'Saisissez l’adresse e‑mail de votre compte. Nous y enverrons un lien pour choisir un nouveau mot de passe.',
    action: 'Envoyer le lien',
    sentTitle: 'Consultez vos e‑mails',
    sent: (email: string | undefined) =>
      `Si un compte existe avec ${email === undefined ? 'cette adresse' : `l’adresse ${email}`}, nous venons d’y envoyer un lien. Il est valable 30 minutes.`,
    unverified: (email: string | undefined) =>
      `Un compte a été créé avec ${email === undefined ? 'cette adresse' : `l’adresse ${email}`}, sans qu’elle soit jamais confirmée. Nous venons d’y envoyer un lien : ouvrez-le pour choisir un mot de passe et prendre possession de ce compte. Il est valable 30 minutes.`,
    again: 'Saisir une autre adresse',
    signIn: 'Retour à la connexion',
  },

  signInByMail: {
    title: 'Consultez vos e‑mails',
    text: (email: string) =>
      `De nombreux mots de passe incorrects ont été essayés pour ${email}, et nous ne reconnaissons pas ce navigateur. Si vous venez de saisir le bon, nous avons envoyé un code à cette adresse : saisissez-le ici.`,
    advice:
      'Rien reçu ? Regardez dans les courriers indésirables, puis recommencez : le mot de passe était peut-être mal saisi.',
    codeWrong:
      'Ce code n’est pas celui de notre dernier e‑mail, ou il n’est plus valable. Vérifiez-le, recommencez, ou choisissez un nouveau mot de passe depuis la page de connexion.',
    again: 'Recommencer',
  },

  invitation: {
    title: (service: string) => `Bienvenue sur ${service}`,
    text: (service: string) =>
      `Un compte vous attend. Choisissez un mot de passe : il vous ouvrira ${service} et les applications qui s’y rattachent.`,
    action: 'Ouvrir mon compte',
  },
  reset: {
    title: 'Choisir un nouveau mot de passe',
    text: (email: string) =>
      `Pour le compte ${email}. Toutes ses sessions seront fermées et les applications devront vous reconnecter ; vos autorisations restent. Ensuite, vous n’aurez pas à vous reconnecter ici.`,
    unverifiedText: (email: string) =>
      `Pour le compte ${email}. Personne n’a encore confirmé cette adresse : ce compte a peut-être été créé par quelqu’un d’autre.`,
    verifyTitle: 'Confirmer votre adresse',
    verifyText: (email: string) =>
      `Pour confirmer l’adresse ${email}, connectez-vous, ou saisissez le code de l’e‑mail dans le navigateur où vous avez créé le compte.`,
    takeOver: 'Vous n’avez pas créé ce compte ?',
    takeOverText: 'Choisissez un nouveau mot de passe pour en prendre possession.',
    removes: 'Tout ce qui a été mis en place jusqu’ici sera supprimé :',
    removed: ['sessions', 'clés d’accès', 'application d’authentification et codes', 'autorisations'],
    takeOverAction: 'Tout supprimer et prendre ce compte',
    action: 'Enregistrer et me connecter',
  },

  confirm: {
    verifyTitle: 'Confirmer votre adresse',
    verifyText: (email: string, name: string) =>
      `Confirmez que l’adresse ${email} est bien celle du compte ${withDe(name)}.`,
    verifyAction: 'Oui, c’est mon adresse',
    changeTitle: 'Confirmer votre nouvelle adresse',
    changeText: (email: string, name: string) =>
      `Le compte ${withDe(name)} utilisera l’adresse ${email}, y compris pour se connecter.`,
    changeAction: 'Utiliser cette adresse',
    another: 'Choisir une autre adresse',
    takenTitle: 'Cette adresse est déjà utilisée',
    taken: (email: string) => `Un autre compte utilise déjà l’adresse ${email}. Rien n’a changé.`,
    signInFirst: (email: string) =>
      `Connectez-vous au compte qui doit utiliser l’adresse ${email}, puis saisissez le code de l’e‑mail. Pour l’instant, rien n’a changé.`,
    advice: 'Si vous n’avez rien demandé, fermez cette page : rien ne changera.',
    doneTitle: 'C’est confirmé',
    done: {
      verified: 'Votre adresse est vérifiée. Vous pouvez fermer cette page.',
      changed: 'Votre nouvelle adresse est enregistrée et vérifiée. Vous pouvez fermer cette page.',
    },
    toAccount: 'Aller à mon compte',
    goOn: 'Reprendre où j’en étais',
    toApplication: (application: string) => `Continuer vers ${application}`,
  },

  report: {
    title: 'Ce n’était pas vous ?',
    ends: 'Nous allons fermer toutes les sessions de votre compte, révoquer l’accès de toutes les applications et désactiver le mot de passe actuel. Nous vous enverrons ensuite un lien par e‑mail pour en choisir un nouveau.',
    restores: (email: string) => `Votre compte reprendra l’adresse ${email}.`,
    incomplete:
      'Les sessions sont fermées, les accès révoqués et le mot de passe désactivé, mais le reste a échoué. Recommencez dans un moment.',
    removes: 'Ce qui sera supprimé',
    action: 'Ce n’était pas moi, tout arrêter',
    advice: 'Si c’était vous, fermez cette page : rien ne changera.',
    doneTitle: 'Votre compte est protégé',
    done: 'Toutes les sessions sont fermées, les accès révoqués et l’ancien mot de passe ne fonctionne plus.',
    chooseNew: 'Choisissez-en un nouveau pour retrouver votre compte.',
    emailTaken:
      'Un autre compte utilise maintenant votre ancienne adresse : nous n’avons pas pu la rétablir. Votre compte est suspendu jusqu’à ce que votre administrateur l’ait vérifié.',
    reset: 'Choisir un nouveau mot de passe',
    removed: 'Ce qui a été supprimé',
    review: 'À vérifier',
    reviewText:
      'Ces changements et suppressions ont eu lieu pendant la session signalée ou après. Nous ne les annulons pas : vérifiez-les dès que vous aurez de nouveau accès à votre compte.',
    account: 'Votre compte',
    items: {
      passkey: (name: string) => (name === '' ? 'Clé d’accès' : `Clé d’accès « ${name} »`),
      authenticator_app: () => 'Application d’authentification',
      linked_identity: (name: string) => (name === '' ? 'Compte externe' : `Compte externe ${name}`),
      recovery_codes: () => 'Codes de secours',
      secret: (number: string) => `Secret n° ${number}`,
      redirect_uri: (uri: string) => `URL de retour ${uri}`,
      key: (name: string) => (name === '' ? 'Clé publique' : `Clé publique « ${name} »`),
      consent: () => 'Autorisation d’accéder à votre compte',
      service_access: (name: string) =>
        name === '' ? 'Accès d’une application' : `Accès de l’application « ${name} »`,
    },
  },

  tooManySignUps: 'Trop de comptes ont été créés depuis votre réseau. Attendez une heure, puis réessayez.',
};
