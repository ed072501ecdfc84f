// French: device authorization pages.

export const device = {
  title: 'Connecter un appareil',
  lead: 'Un téléviseur, une console ou un programme vous montre un code pour que vous n’ayez pas à y saisir votre mot de passe. Saisissez ce code ici : l’appareil se connectera à votre compte.',
  signInFor: 'pour connecter un appareil',
  code: 'Code affiché par l’appareil',
  codeHint: 'Huit lettres, par exemple WDJB-MJHT.',
  action: 'Continuer',
  advice:
    'Ne saisissez que le code d’un appareil que vous avez devant vous, jamais celui que quelqu’un vous envoie ou vous dicte.',
  unknownCode:
    'Aucun appareil n’attend avec ce code. Vérifiez-le, ou demandez-en un nouveau sur l’appareil : un code n’est valable que 15 minutes.',
  tooManyTries: 'Trop d’essais pour le moment. Réessayez dans une heure.',
  decideTitle: (application: string) => `Connecter un appareil à ${application} ?`,
  check: 'Votre appareil doit afficher ce code',
  requested: 'Demandé',
  fromSameNetwork: (ip: string) => `depuis votre propre réseau (${ip}).`,
  fromOtherNetwork: (ip: string) =>
    `depuis un autre réseau que le vôtre (${ip}). Si votre appareil utilise la même connexion que ce navigateur, refusez.`,
  warning:
    'Si quelqu’un vous a envoyé ce code ou cette page, refusez : son appareil serait connecté à votre compte.',
  allowedTitle: 'Appareil autorisé',
  allowed:
    'Retournez à votre appareil : il se connecte automatiquement en quelques secondes. Vous pouvez fermer cette page.',
  takeBack: 'Vous avez changé d’avis ? Révoquez cet accès dans vos',
  takeBackLink: 'applications connectées',
  deniedTitle: 'Appareil refusé',
  denied: 'Rien n’a été partagé. Vous pouvez fermer cette page.',
  ignore: 'Si quelqu’un vous avait envoyé ce code, ne lui répondez pas : votre compte n’a rien risqué.',
  account: 'Aller à mon compte',
  another: 'Connecter un autre appareil',
};
