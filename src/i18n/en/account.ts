// Owns the English texts of: account.
import type { account as reference } from '../fr/account.ts';
import { credentials } from './credentials.ts';

export const account: typeof reference = {
  credentials,

  parts: {
    title: 'Your account',
    overview: 'Overview',
    profile: 'Profile',
    email: 'Email address',
    password: 'Password',
    sessions: 'Sessions',
    applications: 'Connected applications',
    data: 'Your data',
  },

  overview: {
    welcome: (service) => `Your account is ready. Welcome to ${service}.`,
    greeting: (name) => `Hello ${name}`,
    purpose: (service) =>
      `This account opens the applications that offer “Se connecter avec ${service}” (sign in with ${service}). Each of them asks for your agreement first, and receives only what you agreed to share.`,
    facts: 'What we know about you',
    name: 'Name',
    email: 'Email address',
    emailVerified: 'verified',
    emailNotVerified: 'not verified yet',
    phone: 'Phone',
    noPhone: 'None',
    language: 'Language',
    browserLanguage: 'That of your browser',
    memberSince: 'Account created',
    change: 'Change',
    changeWhat: {
      profile: 'your profile',
      email: 'your email address',
    },
    applications: 'Your applications',
    noApplication: 'None so far. Those you allow will appear here.',
    allApplications: 'See what they receive',
    parts: 'Also here',
    profileText: 'Your name, picture, phone and language.',
    emailText: 'The address you sign in with, and its verification.',
    passwordText: 'Choosing another one ends your other sessions.',
    sessionsText: 'Where you are signed in, and how to sign out there.',
    applicationsText: 'What you share, with whom, and how to end it.',
    dataText: 'Download everything we keep, or delete your account.',
  },

  profile: {
    title: 'Your profile',
    lead: 'This is what the applications you allow can see.',
    phone: 'Phone (optional)',
    phoneHint: 'As you usually write it, such as 06 12 34 56 78, or with its country code.',
    phoneInvalid:
      'We know no country in which this could be a number. Write it with its country code, such as +44 7400 123456, or leave the field empty.',
    language: 'Language',
    languageHint: 'That of our pages and messages.',
    languageAuto: 'That of your browser',
    save: 'Save',
    saved: 'Your profile is saved.',
    picture: 'Picture',
    changePicture: 'Change the picture',
  },

  picture: {
    title: 'Your picture',
    ownText: 'This is the picture that the applications you allow can see.',
    initialsText: 'You have no picture yet: your initials take its place.',
    file: 'A new picture',
    fileHint:
      'JPEG, PNG or WebP, up to 2 MB. We keep only a square of 256 pixels, without the place or date it was taken.',
    upload: 'Use this picture',
    remove: 'Remove the picture',
    missing: 'Choose a picture.',
    unreadable: 'This file is not a picture we can read. Choose a JPEG, PNG or WebP.',
    changed: 'Your new picture is in place.',
    removed: 'Your picture is removed. Your initials take its place.',
  },

  sessions: {
    title: 'Your sessions',
    lead: 'The browsers in which this account is open. If you do not recognise one, sign it out and change your password.',
    device: (browser, system) => `${browser} on ${system}`,
    unknownDevice: 'Unknown device',
    current: 'this session',
    address: 'IP address',
    noAddress: 'Forgotten',
    lastSeen: 'Last activity',
    signedIn: 'Identity confirmed',
    end: 'Sign out',
    endWhich: (device, lastSeen) => `of the session ${device}, last seen on ${lastSeen}`,
    endOthers: 'Sign out all other sessions',
    onlyThis: 'This account is not open anywhere else.',
    applications:
      'Applications you opened from these browsers keep their own session. To take away their access to your information, go to',
    applicationsLink: 'the connected applications',
    ended: 'The session has ended.',
    othersEnded: 'All other sessions have ended.',
  },

  applications: {
    title: 'Connected applications',
    lead: 'Each application can read only what you agreed to share. Withdraw your agreement whenever you like: it takes effect at once.',
    none: 'None so far. Those you allow will appear here, with what they receive and when.',
    canRead: 'Can read',
    scopes: {
      openid: 'identifier',
      profile: 'name and picture',
      email: 'email address',
      phone: 'phone number',
    },
    allowedOn: 'Allowed on',
    lastUsed: 'Last used',
    neverUsed: 'Not yet',
    received: 'What it received',
    nothingReceived: 'Nothing so far.',
    fields: {
      sub: 'identifier',
      auth_time: 'time of sign-in',
      name: 'name',
      avatar: 'picture',
      picture: 'picture',
      updated_at: 'date the profile changed',
      email: 'email address',
      preferred_username: 'user name (the email address)',
      email_verified: 'whether the address is verified',
      phone: 'phone',
      phone_number: 'phone',
      phone_number_verified: 'whether the phone is verified',
    },
    once: (day) => `once, on ${day}`,
    often: (times, first, last) => `${times} times, from ${first} to ${last}`,
    oftenOneDay: (times, day) => `${times} times, on ${day}`,
    withdraw: 'Withdraw',
    withdrawFrom: (application) => `the agreement given to ${application}`,
    withdrawn: 'Your agreement is withdrawn. The application can no longer read your information.',
    former: 'Applications that no longer have access',
    formerText: 'You withdrew your agreement, or they no longer exist. This is what they had received.',
    delay: 'What is read appears here within a minute.',
  },

  data: {
    tooMany: 'You have taken your data away several times within the hour. Wait a while, then try again.',
    title: 'Your data',
    lead: 'Everything we keep about you is yours.',
    exportTitle: 'Download',
    exportText:
      'A JSON file with your profile and picture, your sessions, your agreements, what applications received, the applications you registered, and the log of your account. Neither your password nor any secret is in it.',
    export: 'Download my data',
    deleteTitle: 'Delete the account',
    deleteText:
      'Deletion is immediate and final. The next page says what goes with it, and asks you to confirm.',
    delete: 'Delete my account…',
  },

  deletion: {
    title: 'Delete your account?',
    goes: 'This goes at once, for ever:',
    profile: 'your profile and picture',
    sessions: 'your sessions, on all your devices',
    consents: (count) =>
      count === 0
        ? 'your agreements with applications (none at the moment)'
        : count === 1
          ? 'the access of the application you allowed'
          : `the access of the ${count} applications you allowed`,
    own: 'the applications you registered:',
    ownUsers: (count) =>
      count === 0 ? 'nobody uses it' : count === 1 ? 'one person uses it' : `${count} people use it`,
    ownText:
      'These people will no longer be able to sign in to them. You can hand these applications over to somebody else first, from the console.',
    stays: (days) =>
      `Applications keep what you already gave them: ask them to erase it. The security log remembers this deletion for ${days} days.`,
    typeEmail: 'Type your email address to confirm',
    typeEmailHint: (email) => `Your address is ${email}.`,
    emailDiffers: 'This is not the email address of this account.',
    lastOperator: 'You are the last person to operate this service. Give that role to somebody else first.',
    confirm: 'Delete my account for ever',
    cancel: 'Keep my account',
    done: 'Your account is deleted. Goodbye, and thank you.',
  },
};
