-- Up Migration

-- Why the last attempt failed is kept as its kind, which is said in the language of whoever reads it. last_error has what there is
-- to know beside that: the status of an answer, or the words of a connection that failed.
alter table logout_deliveries add column last_fault text;

update logout_deliveries set
  last_fault = case
    when last_error like 'it answered % instead of 200' then 'answered'
    when last_error = 'nobody answers at the address' then 'refused'
    when last_error = 'its name is not known' then 'unknown-name'
    when last_error = 'the address is not https' then 'not-https'
    when last_error = 'the address is not on the public internet' then 'not-public'
    when last_error like 'it did not answer within % seconds' then 'timeout'
    when last_error like 'the head of its answer is longer than %' then 'too-large'
    when last_error = 'there is nobody to tell any more' then 'nobody'
    else 'failed'
  end
where last_error is not null;

update logout_deliveries set last_error = substring(last_error from 'it answered (\d+) instead') where last_fault = 'answered';
update logout_deliveries set last_error = null where last_fault not in ('answered', 'failed');

-- Down Migration
