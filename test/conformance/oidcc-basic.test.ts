// The Basic OP plan of the OpenID Foundation: what each of its modules asks of a provider, asked of this one.
import { basicPlan } from './basic/plan.ts';

basicPlan('oidcc-basic-certification-test-plan', 'query');
