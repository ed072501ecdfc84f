// Owns the English texts of: mail.
import type { mail as reference } from '../fr/mail.ts';

const notice = (subject: (service: string) => string, text: (what: string) => string) => ({ subject, text });

export const mail: typeof reference = {
  greeting: (name: string) => (name === '' ? 'Hello,' : `Hello ${name},`),
  quoted: (name: string) => `“${name}”`,
  unnamed: '(name not shown)',
  footer: (service: string, host: string) =>
    `${service}, ${host}. This message was sent automatically: nobody reads the answers.`,
  codeText: 'Or type this code on the page that asks for it:',

  verify_email: {
    subject: (service: string) => `Confirm your address for ${service}`,
    text: (email: string, service: string) =>
      `Somebody, probably you, uses the address ${email} for an account with ${service}. Confirm that it is yours.`,
    action: 'Confirm my address',
    closing:
      'The link and the code are good for one day. If it was not you, ignore this message: without confirmation the address stays unverified.',
  },
  change_email: {
    subject: (service: string) => `Confirm your new address for ${service}`,
    text: (email: string, service: string) =>
      `You asked that your account with ${service} move to the address ${email}. Nothing changes until you have confirmed it.`,
    action: 'Confirm my new address',
    closing:
      'The link and the code are good for one day. If you have not asked for anything, ignore this message: nothing will change.',
  },
  reset_password: {
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string) =>
      `Somebody, probably you, has asked for a new password for your account with ${service}.`,
    action: 'Choose a new password',
    closing:
      'The link is good for 30 minutes, and once only. If it was not you, ignore this message: your password stays as it is.',
  },
  password_offered: {
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string) =>
      `The people who run ${service} have sent you this link to choose a new password. Your current one keeps working until you do.`,
    action: 'Choose a new password',
    closing:
      'The link works once, within 30 minutes. After that you can ask for another on the sign-in page. If you are happy with your password, ignore this message.',
  },
  invitation: {
    subject: (service: string) => `Your ${service} account is ready`,
    text: (service: string) =>
      `An account has been created for you on ${service}. All that is left is to choose your password.`,
    action: 'Choose my password',
    closing:
      'The link works once, within seven days. If you were not expecting this, ignore this message: without a password nobody can use the account.',
  },

  address_taken: {
    subject: (service: string) => `Your address already has an account with ${service}`,
    text: (email: string, service: string) =>
      `Somebody wanted their account with ${service} to move to the address ${email}, which already has an account: yours. Nothing has changed.`,
    closing:
      'If it was you, sign in with this address, or change the address of this account first. If it was not you, there is nothing to do.',
  },
  application_offered: {
    subject: (service) => `You have been offered an application on ${service}`,
    text: (application, service) =>
      `Someone wants to transfer the application ${application} on ${service} to you. Nothing changes until you accept.`,
    from: 'Offered by:',
    until: 'Until:',
    action: 'See the offer',
    closing:
      'The page shows everything that would come with the application; you can accept or decline it there. If you were not expecting this, ignore this message: the offer expires by itself.',
  },
  sign_in: {
    subject: (service: string) => `Confirm your sign-in to ${service}`,
    text: (service: string) =>
      `Somebody, probably you, has entered the password of your account with ${service} in a browser that we do not recognise. Many wrong passwords were tried before, so we ask you to confirm.`,
    action: 'Sign in',
    closing:
      'The link and the code are good for 30 minutes, in the browser where the password was entered. If it was not you, somebody knows your password: choose a new one.',
  },

  at: 'When:',
  address: 'From the IP address:',
  browser: 'With:',
  notMe: 'This was not me',
  notMeClosing:
    'If it was you, there is nothing to do. If not, open this link within seven days: a page will tell you what it ends, and ask you to confirm.',
  notices: {
    new_sign_in: notice(
      (service) => `New sign-in to your account with ${service}`,
      () => 'Somebody has just signed in to your account with a browser that we did not know.',
    ),
    password_changed: notice(
      (service) => `The password of your account with ${service} has changed`,
      () =>
        'The password of your account has just been changed. All other sessions and the access of applications have ended.',
    ),
    password_reset: notice(
      (service) => `The password of your account with ${service} was reset`,
      () =>
        'A new password has just been chosen by means of a link sent to this address. All sessions and the access of applications have ended.',
    ),
    email_change_requested: notice(
      (service) => `A change of address was asked for your account with ${service}`,
      (email) =>
        `Somebody has asked that your account move to the address ${email}. That will happen once this address has confirmed it.`,
    ),
    email_changed: notice(
      (service) => `The address of your account with ${service} has changed`,
      (email) =>
        `Your account now uses the address ${email}. This message is the last that we send to the former one; the link below restores it.`,
    ),
    secret_created: notice(
      (service) => `New secret for an application on ${service}`,
      (application) => `A new secret has just been created for your application ${application}.`,
    ),
    secret_ended: notice(
      (service) => `A secret of an application has ended on ${service}`,
      (application) => `A secret of your application ${application} has just been revoked.`,
    ),
    application_deleted: notice(
      (service) => `One of your applications was deleted from ${service}`,
      (application) =>
        `Your application ${application} has just been deleted. Nobody can sign in to it any more.`,
    ),
    transfer_offered: notice(
      (service) => `One of your applications is offered to another account on ${service}`,
      (application) =>
        `Your application ${application} has just been offered to another account. It will belong to that one if it accepts.`,
    ),
    application_transferred: notice(
      (service) => `One of your applications has a new owner on ${service}`,
      (application) => `Your application ${application} now belongs to another account.`,
    ),
    application_changed: notice(
      (service) => `The settings of an application on ${service} have changed`,
      (application) =>
        `The callback URLs or the protocol of your application ${application} have just been changed.`,
    ),
    application_released: notice(
      (service) => `One of your applications is no longer suspended on ${service}`,
      (application) =>
        `The suspension of your application ${application} has just been lifted in your account: people can sign in to it again.`,
    ),
    application_received: notice(
      (service) => `An application now belongs to your account with ${service}`,
      (application) => `You have accepted the application ${application}: it now belongs to your account.`,
    ),
    sessions_ended: notice(
      (service) => `Sessions of your account with ${service} were closed`,
      () => 'One or more sessions of your account have just been closed from another session.',
    ),
    data_exported: notice(
      (service) => `The data of your account with ${service} were downloaded`,
      () =>
        'A file with all data of your account has just been downloaded. It holds neither your password nor any secret.',
    ),
  },

  announcementClosing: 'If you did not expect this, or have a question, turn to those who run the service.',
  announcements: {
    password_guessed: notice(
      (service) => `Somebody is guessing at the password of your account with ${service}`,
      () =>
        'A hundred wrong passwords have been tried on your account since the last right one. None of them opened it. Until you sign in again, a browser that we do not recognise needs a mail from us as well as the password. If you use this password elsewhere, too, choose a new one.',
    ),
    account_deleted: notice(
      (service) => `Your account with ${service} was deleted`,
      () =>
        'Your account has just been deleted with its data and applications, as was asked for in a session of this account. Nothing of it is left, and the address can serve for a new account.',
    ),
    account_removed: notice(
      (service) => `Your account with ${service} was deleted`,
      () => 'Those who run the service have deleted your account, with its data and applications.',
    ),
    account_suspended: notice(
      (service) => `Your account with ${service} is suspended`,
      () =>
        'Those who run the service have suspended your account. As long as it is, nobody can sign in to it, and applications have no access to it. Nothing of it is erased.',
    ),
    account_unsuspended: notice(
      (service) => `Your account with ${service} is no longer suspended`,
      () =>
        'The suspension of your account is lifted. You can sign in again; applications will ask you to do so.',
    ),
    access_ended: notice(
      (service) => `The sessions of your account with ${service} were closed`,
      () =>
        'Those who run the service have closed all sessions of your account and ended the access of applications. Your password stays the same: all you need to do is sign in again.',
    ),
    password_set: notice(
      (service) => `The password of your account with ${service} was replaced`,
      () =>
        'Those who run the service have given your account a new password. All sessions and the access of applications have ended.',
    ),
    operator_granted: notice(
      (service) => `You are an operator of ${service}`,
      () => 'Your account can now look after this service: accounts, applications and audit log.',
    ),
    operator_revoked: notice(
      (service) => `You are no longer an operator of ${service}`,
      () => 'Your account cannot look after this service any more. All the rest of your account stays.',
    ),
    application_suspended: notice(
      (service) => `One of your applications is suspended on ${service}`,
      (application) =>
        `Those who run the service have suspended your application ${application}. As long as it is, nobody can sign in to it, and its tokens have ended. Nothing of it is erased.`,
    ),
    application_unsuspended: notice(
      (service) => `One of your applications is no longer suspended on ${service}`,
      (application) =>
        `The suspension of your application ${application} is lifted: people can sign in to it again.`,
    ),
    application_removed: notice(
      (service) => `One of your applications was deleted from ${service}`,
      (application) =>
        `Those who run the service have deleted your application ${application}. Nobody can sign in to it any more.`,
    ),
    application_updated: notice(
      (service) => `One of your applications was changed on ${service}`,
      (application) =>
        `Those who run the service have changed settings of your application ${application}. You will find them all on its pages.`,
    ),
    secret_removed: notice(
      (service) => `A secret of an application was ended on ${service}`,
      (application) =>
        `Those who run the service have ended a secret of your application ${application}: whatever still uses it is refused.`,
    ),
    secret_replaced: notice(
      (service) => `New secret for an application on ${service}`,
      (application) =>
        `Those who run the service have created a new secret for your application ${application}. Ask them for it if you have not received it.`,
    ),
  },

  dev: {
    title: 'Mails kept here',
    lead: 'No mail server is configured: mails stay in this process, the latest hundred, until it stops. This page does not exist in production.',
    empty: 'No mail so far. Create an account or ask for a new password: the mail will appear here.',
    back: 'All mails',
    to: 'To',
    from: 'From',
    at: 'Date',
    asHtml: 'See the laid-out version',
    links: 'Links in the mail',
  },
};
