# Recall what is remembered; wait up to 30 seconds for a task; take it; report.
hub="http://127.0.0.1:8765/api/v1/workspaces/main"
ask() {
    curl -sS -H "Authorization: Bearer $MEMORYHUB_TOKEN" -H "MemoryHub-Agent: builder" "$@"
}
call() {
    ask "$hub/tools/$1" -H "Content-Type: application/json" -d "$2"
}

call recall '{}'
ask "$hub/inbox?wait=30"
call handoff_take '{"task_id": "20261120-01"}'
call handoff_report '{"task_id": "20261120-01", "status": "done", "output": "Five retries"}'
