// All there is to do is done after the job's last step.
