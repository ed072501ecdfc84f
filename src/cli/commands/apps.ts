// sesame apps …: names, options and defaults; what they do is in apps.ts and things.ts.
import type { Command } from 'commander';
import { createApplication, listApplications, showApplication, updateApplication } from '../apps.ts';
import type { Runs } from '../run.ts';
import { withSettings } from '../settings-options.ts';
import { deleteOf, endSecretOf, moderate, rotateSecretOf } from '../things.ts';
import { wholeNumber } from '../whole-number.ts';

export function addApps(program: Command, run: Runs): void {
  const apps = program.command('apps').description('client applications');
  withSettings(
    apps
      .command('create')
      .description('register an application; its Client Secret is printed once')
      .requiredOption('--owner <email>', 'the account that it belongs to')
      .option('--public', 'a single-page or mobile application: no secret, PKCE required'),
  ).action(run(createApplication));
  withSettings(
    apps
      .command('update')
      .description(
        'change settings of an application, all that are named or none; a list replaces the one before, an empty text empties it',
      )
      .argument('<client-id>'),
  ).action(run(updateApplication));
  apps
    .command('show')
    .description('all settings of an application, and its live secrets by their numbers')
    .argument('<client-id>')
    .action(run(showApplication));
  apps.command('list').description('list all applications').action(run(listApplications));
  apps
    .command('rotate-secret')
    .description('give an application a new Client Secret, printed once')
    .argument('<client-id>')
    .option('--overlap <seconds>', 'how long the present one stays valid: 0 to 604800', wholeNumber, 0)
    .action(run(rotateSecretOf('application')));
  apps
    .command('end-secret')
    .description('end a Client Secret at once; apps show tells the numbers')
    .argument('<client-id>')
    .argument('<number>', 'which one', wholeNumber)
    .action(run(endSecretOf('application')));
  apps
    .command('delete')
    .description('delete an application; all that it was given dies at once')
    .argument('<client-id>')
    .action(run(deleteOf('application')));

  for (const [action, description] of [
    ['suspend', 'nobody signs in to an application any more, and all it was given dies at once'],
    ['unsuspend', 'lift the suspension of an application'],
    ['verify', 'mark an application as verified: its consent page does not warn any more'],
    ['unverify', 'withdraw that mark'],
  ] as const)
    apps
      .command(action)
      .description(description)
      .argument('<client-id>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderate('application', action)));
}
