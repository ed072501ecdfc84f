// The tasks of an application's owner, for the overview and the list of applications.
import { isMachineClient } from '../../clients/kind.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';

export interface TaskState {
  hasNoSecret: boolean;
  /** Set if the last secret expires soon. */
  secretEndsAt: Date | undefined;
  /** Rejected requests in the last week. */
  refusedCount: number;
  /** Whether a machine-to-machine application has requested access to an API. */
  hasApis: boolean;
  isUsed: boolean;
}

type TaskName = 'noSecret' | 'secretEnds' | 'refused' | 'noApi' | 'nobodyYet';

/** The most urgent task comes first. */
export function findTasks(application: OwnedClient, state: TaskState): TaskName[] {
  if (application.suspended) return [];
  const isMachine = isMachineClient(application);
  const tasks: [TaskName, boolean][] = [
    ['noSecret', state.hasNoSecret],
    ['secretEnds', state.secretEndsAt !== undefined],
    ['refused', state.refusedCount > 0],
    ['noApi', isMachine && !state.hasApis],
    ['nobodyYet', !isMachine && !state.isUsed],
  ];
  return tasks.filter(([, isNeeded]) => isNeeded).map(([name]) => name);
}
