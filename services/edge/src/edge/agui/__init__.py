"""The endpoints for AG-UI clients: the log of a turn as the events of a run."""

PATH = "/api/ag-ui"
