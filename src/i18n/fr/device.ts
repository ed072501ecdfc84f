// Owns the French texts of letting a device in.

export const device = {
  title: 'Connecter un appareil',
  lead: 'Votre téléviseur, votre console ou un programme vous montre un code ? Saisissez-le ici pour le connecter à votre compte.',
  code: 'Code affiché par l’appareil',
  codeHint: 'Huit lettres, par exemple WDJB-MJHT.',
  action: 'Continuer',
  unknownCode:
    'Aucun appareil n’attend avec ce code. Vérifiez-le, ou demandez-en un nouveau sur l’appareil : un code ne vaut que 15 minutes.',
  tooManyTries: 'Trop d’essais pour le moment. Réessayez dans une heure.',
  decideTitle: (application: string) => `Connecter un appareil à ${application} ?`,
  check: (code: string) =>
    `N’autorisez que si vous avez vous-même lancé cette connexion, et si votre appareil affiche bien ${code}. Si quelqu’un vous a envoyé ce code, refusez.`,
  allowed: 'L’appareil est autorisé. Retournez-y : il se connecte tout seul.',
  denied: 'L’appareil n’a pas été autorisé. Rien n’a été partagé.',
};
