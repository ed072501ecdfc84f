// The Form Post Basic OP plan of the OpenID Foundation: the modules of the Basic plan, with answers posted to the callback.
import { basicPlan } from './basic/plan.ts';

basicPlan('oidcc-formpost-basic-certification-test-plan', 'form_post');
