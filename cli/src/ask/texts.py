"""Every sentence that the command says."""

_TEXTS = {
    "de": {
        # settings
        "bad_setting": "Die Variable {name} passt nicht: «{value}».",
        "bad_workers": "Die Variable {name} muss eine Zahl von 1 bis 64 sein, nicht «{value}».",
        "one_worker": "Den Dienst {service} gibt es auf einer Maschine nur einmal: {name} weglassen.",
        # up: what prevents a start
        "port_taken": "Der Port {port} ist belegt. Beende das andere Programm oder nimm einen anderen: "
        "PORT={other} make run",
        "bad_host": "Auf {host}:{port} kann hier niemand horchen ({reason}). Prüfe HOST und PORT.",
        "unwritable": "In {folder} kann ich nicht schreiben ({reason}). "
        "Prüfe die Rechte oder setze ASK_DATA_DIR.",
        "already_up": "In {folder} läuft ask.sogis schon (PID {pid}). "
        "Beende es dort mit Ctrl-C oder mit: kill {pid}",
        "missing_binary": "{program} fehlt. Installiere es (apt install {package} / brew install {brew}) "
        "oder setze {variable}.",
        "nats_silent": "NATS unter {url} antwortet nicht ({reason}). "
        "Prüfe NATS_URL oder lass die Variable weg.",
        "redis_silent": "Redis unter {url} antwortet nicht ({reason}). "
        "Prüfe REDIS_URL oder lass die Variable weg.",
        "start_failed": "{name} startet nicht ({end}): {said} – ganzes Log: {log}",
        "start_timeout": "{name} ist nach {timeout_s} s nicht bereit. Log: {log}",
        # up: progress
        "starting": "ask.sogis startet … {ready} von {expected} Prozessen bereit",
        "crashed": "{name} ist abgestürzt ({end}). Neustart in {seconds} s. Log: {log}",
        "recovered": "{name} läuft wieder.",
        "stopping": "Alles wird beendet … (nochmals Ctrl-C: sofort)",
        "stopped": "Beendet.",
        "exit_code": "Exit-Code {code}",
        "exit_signal": "Signal {name}",
        # up: banner
        "up": "ask.sogis läuft auf {url}",
        "up_ready": "bereit nach {seconds} s",
        "up_try": "Probier es aus:",
        "up_or": "Oder über HTTP:",
        "up_logs": "Logs:     {logs}",
        "up_stop": "Beenden:  Ctrl-C",
        "example_1": "Gehe zur Langendorfstrasse 19b in Solothurn",
        "example_2": "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer",
        "example_3": "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519",
        # http
        "unreachable": "ask.sogis ist unter {url} nicht erreichbar. Läuft `make run`?",
        "no_answer": "ask.sogis hat innert {seconds} s nicht geantwortet. "
        "Später nachsehen: ask turn {request_id}",
        "refused": "ask.sogis lehnt ab ({status}): {detail}",
        "busy": "ask.sogis ist ausgelastet. Versuche es in {seconds} s nochmals.",
        "not_understood": "Unter {url} antwortet etwas anderes als ask.sogis.",
        # chat
        "waiting": "Einen Moment …",
        "prompt": "du › ",
        "goodbye": "Tschüss.",
        "intro": "Schreib, was die Karte zeigen soll. Ctrl-D beendet.",
        "pick": "Was meinst du?",
        "picked": "› {label}",
        "pick_help": " Ziffer oder Pfeile und Enter · Ctrl-C lässt die Frage offen ",
        "left_open": "Die Frage bleibt offen.",
        "continue": "Weiter mit: ask chat --choice ID",
        "nothing_said": 'Sag etwas: ask chat "Zeige mir Grundstück 168 in Messen"',
        "percent": "{value} %",
        "map": "Karte: ",
        "set_view": "Ansicht {east} / {north}, Zoom {zoom}",
        "set_extent": "Ansicht auf Ausschnitt",
        "add_marker": "Markierung «{label}»",
        "remove_marker": "Markierung «{label}» weg",
        "add_layer": "Ebene «{label}»",
        "add_outline": "Umriss",
        "remove_layer": "Ebene «{label}» weg",
        "show_layer": "Ebene «{label}» sichtbar",
        "hide_layer": "Ebene «{label}» unsichtbar",
        "set_background": "Hintergrund «{label}»",
        "clear_map": "Karte leer",
        "show_oereb": "ÖREB-Auszug {url}",
        # tools
        "tools_none": "Kein Werkzeug ist gemeldet.",
        # turn
        "turn_began": "Beginn {time}",
        "pieces": "{n} Stücke: {text}",
        "tool_result": "{capability}: {status}, {items} Treffer, {ms} ms",
        "turn_unknown": "Von {request_id} ist nichts aufgezeichnet (Ereignisse bleiben 24 Stunden).",
        "column_since": "+ms",
        "column_step": "Schritt",
        "column_event": "Ereignis",
        "column_what": "was",
        "bus_unreachable": "NATS unter {url} ist nicht erreichbar ({reason}). "
        "Läuft `make run` in diesem Ordner?",
        "no_stream": "Auf diesem NATS gibt es den Stream {stream} nicht. Ist es der richtige Server?",
        # dead
        "dead_none": "Keine unzustellbaren Nachrichten.",
        "dead_unknown": "Den Eintrag {entry} gibt es nicht (mehr).",
        "dead_gone": "Die Nachricht hinter Eintrag {entry} gibt es nicht mehr.",
        "dead_no_origin": "Eintrag {entry} sagt nicht, woher er kommt: nicht wiederholbar.",
        "dead_replayed": "Eintrag {entry} ist wieder unterwegs auf {subject}.",
        "replay_what": "Was wiederholen? Die Nummer eines Eintrags, oder --all.",
        "dead_gave_up": "{consumer}: {deliveries} Zustellungen ohne Erfolg",
        "column_entry": "Eintrag",
        "column_time": "Zeit",
        "column_subject": "Betreff",
        "column_reason": "Grund",
        "column_request": "Anfrage",
        # docs
        "docs_reading": "Dokumente einlesen",
        "docs_counts": "{added} neu, {changed} geändert, {unchanged} unverändert",
        "docs_done": "{added} Dokumente neu, {changed} geändert, {unchanged} unverändert, "
        "{removed} entfernt; {proposals} Anträge. Index: {index}",
        "docs_bad": "{n} ausgelassen:",
        "docs_more": "… und {n} weitere",
        "docs_incomplete": "Die Quelle liess sich nicht vollständig lesen; entfernt wurde deshalb nichts. "
        "Nochmals ausführen setzt fort.",
        "docs_interrupted": "Abgebrochen. Was eingelesen ist, bleibt; nochmals ausführen setzt fort.",
        "docs_no_vectors": "Alles ist eingelesen, aber das Modell für Vektoren antwortet nicht ({reason}). "
        "Nochmals ausführen holt sie nach.",
        "docs_no_source": "«{source}» gibt es nicht. Nenne einen Ordner, eine Datei oder eine OParl-Adresse.",
        "docs_no_index": "Der Index {index} lässt sich nicht lesen ({reason}). "
        "Anlegen: ask docs ingest ORDNER",
        "docs_outdated": "Der Index {index} stammt von einer anderen Version. Lösche ihn und lies neu ein.",
        "docs_empty": "Der Index {index} ist leer. Füllen: ask docs ingest ORDNER",
        "docs_sample": "mitgelieferte Beispiele",
        "docs_none": "Nichts gefunden.",
        "docs_updated": "Stand {time}",
        "docs_index": "Index",
        "docs_documents": "Dokumente",
        "docs_passages": "Passagen",
        "docs_proposals": "Anträge",
        "docs_source": "Quelle",
        "docs_proposal": "Antrag {identifier}: {name}",
        "problem_empty": "kein Text",
        "problem_scanned": "kein Text, wohl gescannt",
        "problem_encrypted": "verschlüsselt",
        "problem_broken": "beschädigt oder nicht lesbar",
        "problem_encoding": "unbekannte Zeichenkodierung",
        "problem_date": "unverständliches Datum",
        "problem_incomplete": "unvollständige Angaben",
        "problem_too_large": "zu gross",
        "problem_too_slow": "Lesen dauert zu lange",
        "problem_duplicate": "gleiche ID wie ein anderes Dokument",
        "problem_unknown_type": "unbekanntes Format",
        "problem_not_fetched": "nicht abrufbar",
        # help
        "help": "ask.sogis: ein Chat-Copilot für Karten.",
        "help_up": "Startet NATS, Redis und alle Dienste auf dieser Maschine; Ctrl-C beendet sie.",
        "help_chat": "Schickt einen Satz und zeigt die Antwort; ohne Satz: ein Gespräch.",
        "help_tools": "Zeigt die Werkzeuge, die gerade laufen.",
        "help_turn": "Zeigt jedes Ereignis einer Anfrage mit Zeiten.",
        "help_dead": "Unzustellbare Nachrichten ansehen und wiederholen.",
        "help_docs": "Den Index der Dokumente füllen, ansehen und durchsuchen.",
        "help_docs_ingest": "Liest Dokumente und Anträge ein: Text, Markdown, HTML, PDF, JSONL, OParl. "
        "Unverändertes wird übersprungen; ein laufendes System antwortet sofort daraus.",
        "help_docs_status": "Zeigt, was im Index ist.",
        "help_docs_search": "Sucht im Index, ohne das System.",
        "help_source": "Ein Ordner, eine Datei (auch JSONL) oder eine OParl-Adresse (System, Body, Liste).",
        "help_prune": "Entfernt, was es in dieser Quelle nicht mehr gibt.",
        "help_base_url": "Wo der Ordner im Web steht, für die Links zu den Dokumenten.",
        "help_allow": "Ein weiterer Server, von dem Dateien geholt werden dürfen (mehrmals möglich).",
        "help_index": "Datei oder postgresql://… [DOCS_INDEX; sonst documents.sqlite in ASK_DATA_DIR].",
        "help_question": "Wonach gesucht wird; «…» für eine Wortfolge, Stern für einen Wortanfang.",
        "help_limit": "Wie viele Dokumente höchstens.",
        "help_dead_list": "Zeigt alle Einträge.",
        "help_dead_show": "Zeigt einen Eintrag mit seiner Nachricht.",
        "help_dead_replay": "Schickt die Nachricht nochmals ab und löscht den Eintrag.",
        "help_sentence": "Was die Karte zeigen soll.",
        "help_url": "Adresse von ask.sogis [ASK_URL; sonst das laufende `ask up`, sonst http://127.0.0.1:8080].",
        "help_nats": "Adresse von NATS [NATS_URL; sonst das laufende `ask up`, sonst nats://127.0.0.1:4222].",
        "help_choice": "Antwort auf eine Auswahl: die ID einer Option.",
        "help_session": "Name des Gesprächs statt des gemerkten.",
        "help_new": "Ein neues Gespräch beginnen.",
        "help_json": "Rohes JSON statt einer Darstellung.",
        "help_request_id": "Die requestId einer Antwort.",
        "help_entry": "Die Nummer aus `ask dead list`.",
        "help_all": "Alle Einträge.",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
