-- Which address a challenge outside the caps was last given to, as long as it is open: the address that asks most makes room first.
ALTER TABLE agent_challenge ADD COLUMN asked_by TEXT;
