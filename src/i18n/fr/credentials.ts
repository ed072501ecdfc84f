// Owns the French texts of: account.credentials, the mail address and the password of an account.

export const credentials = {
  noMail: {
    title: 'Ce service n’envoie pas de messages',
    text: 'Aucun serveur de messagerie n’y est configuré. Demandez aux responsables du service de vous aider.',
  },
  code: 'Code reçu par e-mail',
  codeHint: 'Six chiffres, dans le dernier message envoyé.',
  codeAction: 'Vérifier le code',
  codeMissing: 'Saisissez le code à six chiffres du message.',
  codeWrong: 'Ce code n’est pas celui du dernier message. Vérifiez-le et réessayez.',
  codeDead: 'Ce code ne peut plus servir : trop d’essais, ou trop de temps. Demandez un nouveau message.',
  tooManyMails: 'Trop de messages ont été demandés. Attendez une heure avant d’en demander un autre.',
  verified: 'vérifiée',
  notVerified: 'pas encore vérifiée',

  email: {
    title: 'Adresse e-mail',
    present: 'Adresse actuelle',
    verify: 'Vérifier cette adresse',
    changeTitle: 'Changer d’adresse',
    newEmail: 'Nouvelle adresse e-mail',
    newEmailHint: 'Nous y enverrons un lien et un code. Rien ne change avant que vous les ayez utilisés.',
    action: 'Envoyer le message de confirmation',
    waitingTitle: 'Changement en attente',
    waiting: (email: string) =>
      `Un message est parti à ${email}. Ouvrez son lien, ou saisissez ici le code qu’il contient.`,
    cancel: 'Abandonner ce changement',
    same: 'C’est déjà votre adresse.',
    taken: 'Un autre compte utilise déjà cette adresse. Choisissez-en une autre.',
    done: {
      sent: 'Le message est en route. Regardez aussi parmi les indésirables.',
      changed: 'Votre nouvelle adresse est enregistrée et vérifiée.',
      cancelled: 'Le changement est abandonné. Votre adresse reste la même.',
    },
  },

  verify: {
    title: 'Vérifier votre adresse',
    text: (email: string) =>
      `Une adresse vérifiée prouve aux applications que ${email} est bien la vôtre, et vous permet de retrouver votre compte.`,
    waiting: 'Ouvrez le lien du message que nous vous avons envoyé, ou saisissez ici son code.',
    send: 'Envoyer un message',
    sendAgain: 'Envoyer un nouveau message',
    already: (email: string) => `Votre adresse ${email} est vérifiée.`,
    back: 'Retour à l’adresse e-mail',
    done: {
      sent: 'Le message est en route. Regardez aussi parmi les indésirables.',
      verified: 'Merci, votre adresse est vérifiée.',
    },
  },

  password: {
    title: 'Mot de passe',
    text: 'Changer de mot de passe ferme vos autres sessions et met fin à l’accès de toutes les applications. Vous restez connecté ici.',
    newPassword: 'Nouveau mot de passe',
    action: 'Changer de mot de passe',
    forgot: 'Mot de passe oublié ?',
    same: 'C’est votre mot de passe actuel. Choisissez-en un autre.',
    changedMeanwhile: 'Votre mot de passe a changé entre-temps, ailleurs. Recommencez avec le nouveau.',
    done: {
      changed: 'Votre mot de passe est changé. Vos autres sessions sont fermées.',
      reset:
        'Votre nouveau mot de passe est enregistré, et vous êtes connecté. Toutes les autres sessions sont fermées.',
    },
  },

  forgot: {
    link: 'Mot de passe oublié ?',
    title: 'Mot de passe oublié',
    text: 'Saisissez l’adresse de votre compte. Nous y enverrons un lien pour choisir un nouveau mot de passe.',
    action: 'Envoyer le lien',
    sentTitle: 'Regardez vos messages',
    sent: 'Si un compte existe avec cette adresse, un lien vient de lui être envoyé. Il est valable 30 minutes.',
    sentAdvice:
      'Rien n’arrive ? Regardez parmi les indésirables, vérifiez l’adresse, ou recommencez dans un moment.',
    again: 'Saisir une autre adresse',
    signIn: 'Retour à la connexion',
  },

  signInByMail: {
    title: 'Regardez vos messages',
    text: (email: string) =>
      `Beaucoup de mots de passe erronés ont été essayés pour ${email}, et nous ne connaissons pas ce navigateur. Si le mot de passe que vous venez de saisir est juste, un message est parti vers cette adresse : ouvrez son lien dans ce navigateur, ou saisissez son code ici.`,
    advice:
      'Rien n’arrive ? Regardez parmi les indésirables, puis recommencez : le mot de passe était peut-être mal saisi. Un navigateur dont vous vous êtes déjà servi n’a pas besoin de message.',
    action: 'Me connecter',
    codeWrong:
      'Ce n’est pas le code du dernier message, ou il ne peut plus servir. Vérifiez-le, ou recommencez.',
    again: 'Recommencer',
    linkTitle: 'Confirmer votre connexion',
    linkText: (email: string) => `Vous serez connecté ici au compte ${email}.`,
    linkAction: 'Me connecter',
    elsewhereTitle: 'Ouvrez ce lien dans l’autre navigateur',
    elsewhere:
      'Il ne fonctionne que dans le navigateur où le mot de passe a été saisi. Ouvrez-le là-bas, ou saisissez-y le code du message.',
  },

  invitation: {
    title: (service: string) => `Bienvenue sur ${service}`,
    text: (service: string) =>
      `Un compte vous attend. Choisissez son mot de passe : il vous ouvrira ${service} et les applications qui s’y rattachent.`,
    action: 'Ouvrir mon compte',
    changeLater: 'Vous pourrez changer votre nom, votre adresse et la langue ensuite.',
  },
  reset: {
    title: 'Choisir un nouveau mot de passe',
    text: (email: string) =>
      `Pour le compte ${email}. Toutes ses sessions et l’accès de toutes les applications prendront fin, puis vous serez connecté ici.`,
    action: 'Enregistrer et me connecter',
  },

  confirm: {
    verifyTitle: 'Confirmer votre adresse',
    verifyText: (email: string, name: string) =>
      `Confirmez que ${email} est bien l’adresse du compte de ${name}.`,
    verifyAction: 'Oui, c’est mon adresse',
    changeTitle: 'Confirmer votre nouvelle adresse',
    changeText: (email: string, name: string) =>
      `Le compte de ${name} passera à l’adresse ${email}. Il s’ouvrira ensuite avec elle.`,
    changeAction: 'Utiliser cette adresse',
    advice: 'Si vous n’avez rien demandé, fermez cette page : rien ne changera.',
    takenTitle: 'Cette adresse est déjà prise',
    taken: 'Un autre compte l’utilise entre-temps. Rien n’a changé.',
    doneTitle: 'C’est confirmé',
    done: {
      verified: 'Votre adresse est vérifiée. Vous pouvez fermer cette page.',
      changed: 'Votre nouvelle adresse est enregistrée et vérifiée. Vous pouvez fermer cette page.',
    },
    toAccount: 'Aller à votre compte',
  },

  notMe: {
    title: 'Ce n’était pas vous ?',
    session:
      'Nous allons fermer la session dont parle le message et celles ouvertes depuis, et mettre fin à tout ce qui en est parti : codes, accès d’applications.',
    everything:
      'Nous allons fermer toutes les sessions de votre compte, mettre fin à l’accès de toutes les applications, et rendre inutilisable le mot de passe actuel. Vous en choisirez ensuite un nouveau par e-mail.',
    undoes: 'Ce qui y a été changé, et sera annulé',
    undone: 'Ce qui y avait été changé, et qui est annulé',
    kinds: {
      settings: 'ses réglages et ses URL de callback',
      protocol: 'ses clés, ses adresses et ses autres réglages de protocole',
      logo: 'son logo',
      secret: 'un secret qui a été créé',
      consent: 'l’accord qui lui a été donné',
      registered: 'son inscription : elle est suspendue',
      received: 'sa réception par votre compte : elle est suspendue',
      given: 'sa cession à un autre compte : elle y est suspendue',
      released: 'la levée de sa suspension : elle est de nouveau suspendue',
    },
    heldUntil:
      'Une application suspendue ne peut plus rien faire tant que vous ne l’avez pas examinée : dans vos applications, supprimez-la ou levez la suspension. Celle qui a été cédée reste suspendue jusqu’à ce que les responsables du service aient dit à qui elle est.',
    restore: (email: string) => `Votre compte reprendra l’adresse ${email}.`,
    advice: 'Si c’était vous, fermez cette page : rien ne changera.',
    action: 'Ce n’était pas moi, tout arrêter',
    doneTitle: 'C’est arrêté',
    done: {
      session:
        'La session est fermée, et tout ce qui en était parti a pris fin. Qui l’avait ouverte connaît peut-être votre mot de passe : choisissez-en un nouveau maintenant.',
      everything:
        'Toutes les sessions sont fermées et l’ancien mot de passe ne vaut plus rien. Choisissez-en un nouveau pour rentrer dans votre compte.',
    },
    reset: 'Choisir un nouveau mot de passe',
    taken:
      'Un autre compte utilise votre ancienne adresse entre-temps. Rien n’a changé : adressez-vous aux responsables du service.',
  },

  tooManySignUps: 'Trop de comptes ont été créés depuis votre réseau. Attendez une heure, puis réessayez.',
};
