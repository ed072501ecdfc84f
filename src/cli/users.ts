// sesame users …: creates and manages accounts.
import { type Command, Option } from 'commander';
import { cleanName, isEmail, isPhone, nameFault } from '../accounts/account-fields.ts';
import { type Moderator, moderateAccount } from '../accounts/moderation.ts';
import { announce } from '../accounts/notifications.ts';
import { invite } from '../credentials/operator-mails.ts';
import {
  askForFactorReset,
  delayFactorReset,
  withdrawFactorReset,
} from '../credentials/second-factor-reset.ts';
import { createAccount } from '../credentials/sign-up.ts';
import type { Locale } from '../i18n/index.ts';
import { LOCALES } from '../i18n/index.ts';
import { readEmail } from '../oauth/email.ts';
import { findAccount } from '../store/account-lists.ts';
import { findContact, notePassword } from '../store/credentials.ts';
import { recordEvent } from '../store/events.ts';
import type { AccountAction } from '../store/moderation.ts';
import { findReset } from '../store/second-factor-resets.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { listSignIns } from '../store/sign-ins.ts';
import { changePassword, findUserByEmail, forgetBrowsers, listUsers } from '../store/users.ts';
import { CommandFault, type Context } from './context.ts';
import { choosePassword } from './password-input.ts';
import { addModeration, type Runs, reasonOf } from './run.ts';

const noSuchUser = (email: string) => new CommandFault(`No account has the email ${email}.`);

/** @throws CommandFault */
async function userOf({ database }: Context, email: string) {
  const user = await findUserByEmail(database, email);
  if (user === undefined) throw noSuchUser(email);
  return user;
}

/** One account: what it is, and by what it is entered. */
async function showUser(context: Context, email: string) {
  const { database, now } = context;
  const { userId } = await userOf(context, email);
  const account = await findAccount(database, userId, now);
  if (account === undefined) throw noSuchUser(email);
  const signIns = await listSignIns(database, userId);
  return {
    sub: account.userId,
    email: account.email,
    name: account.name,
    phone: account.phone,
    email_verified: account.emailVerified,
    operator: account.operator,
    suspended: account.suspended,
    invited: account.invited,
    created_at: account.createdAt,
    has_password: account.hasPassword,
    password_chosen_at: account.passwordChosenAt,
    authenticator_app_since: account.appSince,
    recovery_codes_left: account.recoveryCodes,
    trusted_browsers: account.trustedBrowsers,
    passkeys: account.passkeys,
    second_factor_reset_due_at: account.resetDueAt,
    open_sessions: account.openSessions,
    sign_ins: signIns,
  };
}

/** Requests the reset of a lost second factor, or stops one. */
async function resetSecondFactor(
  context: Context,
  email: string,
  options: { stop?: boolean; passkeys?: boolean; now?: boolean; reason?: string },
) {
  const { database, now } = context;
  const user = await userOf(context, email);
  const { userId } = user;
  const parts = { ...context, sealer: await context.sealer() };
  const by = reasonOf(options);
  if (options.stop) return { email: user.email, stopped: await withdrawFactorReset(parts, userId, by, now) };
  const how = { passkeys: options.passkeys ?? false, atOnce: options.now ?? false };
  const outcome = await askForFactorReset(parts, userId, how, by, now);
  const dueAt = (await findReset(database, userId))?.dueAt ?? null;
  return { email: user.email, outcome, due_at: dueAt };
}

interface CreateOptions {
  email: string;
  name: string;
  phone?: string;
  verified?: boolean;
  operator?: boolean;
  passwordStdin?: boolean;
}

async function createUser(context: Context, options: CreateOptions) {
  const { database, now } = context;
  const name = cleanName(options.name);
  const { phone } = options;
  const email = readEmail(options.email);
  requireNamed(email, name);
  if (phone !== undefined && !isPhone(phone))
    throw new CommandFault('The phone number must be in international format, such as +33612345678.');
  const { hash: passwordHash, shown } = await choosePassword(context, options, [name, email]);
  const { verified: emailVerified, operator } = options;
  const fields = { email, name, passwordHash, phone, emailVerified, operator };
  const account = await database.transaction(async (transaction) => {
    const created = await createAccount(transaction, fields, now);
    if (created === undefined) return undefined;
    const { userId } = created;
    const detail = { email, operator: operator ?? false };
    await recordEvent(transaction, { kind: 'account_created', userId, detail }, now);
    return created;
  });
  if (account === undefined) throw new CommandFault(`An account with the email ${email} exists already.`);
  return { sub: account.userId, email, ...shown };
}

/** Creates an account and has its owner sent a link to choose the password, as an operator does in the console. */
async function inviteUser(
  context: Context,
  { email: typedEmail, name: typed, language }: { email: string; name: string; language: Locale },
) {
  const email = readEmail(typedEmail);
  const name = cleanName(typed);
  requireNamed(email, name);
  if (!context.mailer.available)
    throw new CommandFault('SMTP_URL is not set: nobody would get the invitation.');
  const parts = { ...context, hasher: await context.hasher(), sealer: await context.sealer() };
  const done = await invite(parts, { email, name, locale: language }, {}, context.now);
  if (done.outcome !== 'invited')
    throw new CommandFault(`An account with the email ${email} exists already.`);
  return { sub: done.userId, email };
}

function requireNamed(email: string, name: string): void {
  if (!isEmail(email)) throw new CommandFault(`${JSON.stringify(email)} is not an email address.`);
  if (nameFault(name) !== undefined)
    throw new CommandFault('The name is missing or longer than 100 characters.');
}

/** Gives an account another password, where its owner cannot have a link sent. Sessions and tokens end; consents stay. */
async function setPassword(context: Context, email: string, options: { passwordStdin?: boolean }) {
  const { database, now } = context;
  const user = await userOf(context, email);
  const { hash, shown } = await choosePassword(context, options, [user.name, user.email]);
  const { userId } = user;
  await database.transaction(async (transaction) => {
    await holdAllChanges(transaction, userId);
    await endSessions(transaction, userId, now);
    await changePassword(transaction, userId, hash);
    await notePassword(transaction, userId, now);
    await forgetBrowsers(transaction, userId);
    await delayFactorReset(transaction, userId, now);
    await recordEvent(transaction, { kind: 'password_reset', userId }, now);
  });
  const mailbox = await findContact(database, userId);
  if (mailbox !== undefined) await announce(context, mailbox, 'password_set', {}, now);
  return { sub: userId, email: user.email, ...shown };
}

const listAllUsers = async ({ database }: Context) => ({
  columns: ['sub', 'email', 'name', 'email_verified', 'operator', 'suspended', 'created_at'],
  rows: (await listUsers(database)).map((row) => ({
    sub: row.userId,
    email: row.email,
    name: row.name,
    phone: row.phone,
    email_verified: row.emailVerified,
    operator: row.operator,
    suspended: row.suspended,
    invited: row.invited,
    created_at: row.createdAt,
  })),
});

async function moderateUser(action: AccountAction, email: string, by: Moderator, context: Context) {
  const user = await userOf(context, email);
  const outcome = await moderateAccount(context, action, user.userId, by, context.now);
  if (outcome === 'lastOperator')
    throw new CommandFault('This is the last operator: make another one first.');
  if (outcome === 'gone') throw noSuchUser(email);
  return { sub: user.userId, email: user.email, changed: outcome === 'done' };
}

export function addUsers(program: Command, run: Runs): void {
  const users = program.command('users').description('accounts');
  users
    .command('create')
    .description('create an account; without --password-stdin a password is made and printed once')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .option('--phone <number>', 'international format, with a leading +')
    .option('--verified', 'the email is known to be theirs')
    .option('--operator', 'may administer this service')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(createUser));
  users
    .command('invite')
    .description('create an account and mail its owner a link to choose a password')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .addOption(new Option('--language <tag>', 'language of the mail').choices(LOCALES).default('fr'))
    .action(run(inviteUser));
  users
    .command('set-password')
    .description(
      'give an account another password, made and printed once unless it comes by --password-stdin',
    )
    .argument('<email>')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(setPassword));
  users
    .command('show')
    .description('one account: what it is, what opens it, its last sign-ins')
    .argument('<email>')
    .action(run(showUser));
  users.command('list').description('list all accounts').action(run(listAllUsers));
  users
    .command('reset-second-factor')
    .description(
      'take the authenticator app and the recovery codes of an account away, for whoever has lost both, after a day',
    )
    .argument('<email>')
    .option('--passkeys', 'take its passkeys away, too: whoever has one still needs no help')
    .option('--now', 'without that delay')
    .option('--stop', 'stop what was asked for before, and leave everything as it is')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(resetSecondFactor));
  addModeration(
    users,
    run,
    '<email>',
    [
      ['suspend', 'suspend', 'let nobody sign in to an account, and revoke all of its sessions and tokens'],
      ['unsuspend', 'unsuspend', 'lift the suspension of an account'],
      ['end-sessions', 'end', 'end every session and token of an account'],
      ['grant-operator', 'grant', 'let an account administer this service'],
      ['revoke-operator', 'revoke', 'revoke that; never of the last operator'],
      ['delete', 'delete', 'delete an account and everything that belongs to it'],
    ],
    moderateUser,
  );
}
