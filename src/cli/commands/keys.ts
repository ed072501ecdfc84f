// sesame keys …: names, options and defaults; what they do is in keys.ts.
import type { Command } from 'commander';
import { LEAD } from '../../keys/rotation.ts';
import { listKeys, replaceKeys, rotateKeys } from '../keys.ts';
import type { Runs } from '../run.ts';
import { wholeNumber } from '../whole-number.ts';

export function addKeys(program: Command, run: Runs): void {
  const keys = program.command('keys').description('signing keys');
  keys.command('list').description('list the signing keys').action(run(listKeys));
  keys
    .command('rotate')
    .description('publish the next signing keys now; those in use sign until then')
    .option('--in <seconds>', 'until the next keys sign', wholeNumber, LEAD)
    .action(run(rotateKeys));
  keys
    .command('replace')
    .description('make new signing keys at once, also when the present ones do not open')
    .option('--yes', 'yes, nothing will verify what the present ones have signed')
    .action(run(replaceKeys));
}
