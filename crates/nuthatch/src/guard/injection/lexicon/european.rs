//! German, French, Spanish, Italian, Portuguese and Russian words of the rules.
//!
//! Only what an order to an agent needs. Accents do not matter: they are folded away here as
//! in the texts.

use super::Line;
use crate::guard::injection::concept::*;

pub(super) const TABLE: &[Line] = &[
    // German
    (
        OVERRIDE,
        "ignorier* vergiss vergesst vergessen missacht* überschreib* umgeh* \
        höre_nicht_auf hör_nicht_auf beachte_nicht",
    ),
    (
        PRIOR,
        "vorherig* vorig* bisherig* obig* früher* vorangegangen* vorangehend* davor zuvor \
        bisher ursprünglich* oben",
    ),
    (
        DIRECTIVE,
        "anweisung* befehl befehle regeln instruktion* auftrag aufträge vorgabe* \
        richtlinie* vorschrift* eingabeaufforderung* angaben systemprompt",
    ),
    (EVERYTHING | ALL, "alles allem"),
    (ALL | UNIVERSAL, "alle allen jede jeder jedes jeden sämtliche"),
    (YOU, "du dir dich dein* sie_selbst ihre ihren"),
    (SAID, "gesagt* besprochen gelernt gegeben"),
    (NEG, "nicht nie niemals kein keine keinen"),
    (WITHOUT, "ohne überspring* auslassen"),
    (TELL, "sag sage sagen erwähn* informier* mitteil* verrat* erzähl*"),
    (USER, "nutzer benutzer anwender niemand niemandem benutzerin nutzerin"),
    (SECRETLY, "heimlich unauffällig stillschweigend verdeckt"),
    (RISKY, "lösch* bereitstell* veröffentlich* überweis* ausführ* installier* bezahl*"),
    (
        CONFIRM,
        "bestätig* genehmig* freigabe rückfrage* nachfrag* erlaubnis zustimmung \
        zu_fragen prüfung",
    ),
    (APPROVED, "genehmigt freigegeben erlaubt autorisiert zugestimmt"),
    (UNIVERSAL, "immer stets grundsätzlich"),
    (STANDING, "ab_jetzt ab_sofort von_nun_an künftig in_zukunft dauerhaft zukünftig fortan"),
    (DISABLE, "überspring* deaktivier* abschalt* ausschalt* unterdrück* schalte"),
    (SAFETY, "sicherheit* schutz* sicherheitswarnung* sandbox berechtigungsabfrage*"),
    (SEND, "send sende senden schick* übermittl* leite_weiter weiterleit* hochlad* lade_hoch"),
    (SECRET, "passwort passwörter kennwort zugangsdaten geheimnis* schlüssel anmeldedaten"),
    (CONVERSATION, "gespräch* unterhaltung* gesprächsverlauf chatverlauf nachrichten"),
    (REVEAL, "zeig* drucke druck* ausgeben wiederhole gib_aus"),
    (WHEN, "wenn falls sobald bevor"),
    (ASKED, "fragt gefragt frage"),
    (SAY, "antworte* empfiehl empfehl* behaupte* schreib* sprich"),
    (
        ROLE,
        "du_bist_jetzt du_bist_nun sie_sind_jetzt verhalte_dich tu_so agiere agieren_als \
        schlüpfe auftreten_als",
    ),
    (
        FREE,
        "uneingeschränkt* unzensiert* ungefiltert* keine_einschränkungen ohne_einschränkungen \
        entwicklermodus",
    ),
    (NEW, "neue neuen neuer neues nächste* ursprünglichen"),
    // French
    (
        OVERRIDE,
        "ignore ignorez ignorer oublie oubliez oublier négligez fais_abstraction \
        faites_abstraction contourne* ne_tenez_pas_compte ne_tiens_pas_compte",
    ),
    (PRIOR, "précédent* antérieur* préalable* ci_dessus initiales auparavant avant jusqu_ici"),
    (DIRECTIVE, "instructions consigne* directives règles ordres commandes invite politique*"),
    (EVERYTHING | ALL, "tout ce_qui"),
    (ALL | UNIVERSAL, "toutes tous toute chaque"),
    (YOU, "tu te vos votre tes ton vous"),
    (SAID, "dit appris donné données reçues reçu"),
    (NEG, "ne jamais pas aucun aucune"),
    (WITHOUT, "sans"),
    (TELL, "dis dites dire mentionne* informe* révèle* révéler préviens prévenir parle*"),
    (USER, "utilisateur* lutilisateur personne lusager"),
    (SECRETLY, "secrètement discrètement silencieusement en_cachette"),
    (RISKY, "supprim* déploy* publie* publier exécut* install* payer virement* efface*"),
    (CONFIRM, "confirmation autorisation approbation validation demander vérification"),
    (APPROVED, "approuvé* autorisé* accordé*"),
    (UNIVERSAL, "toujours systématiquement"),
    (STANDING, "désormais dorénavant à_partir_de_maintenant à_l_avenir à_chaque_fois"),
    (DISABLE, "désactiv* supprime* masque* coupe*"),
    (SAFETY, "sécurité pare_feu bac_à_sable garde_fou* avertissements_de"),
    (SEND, "envoie* envoyer envoyez transmet* transférez transférer téléverse* postez"),
    (SECRET, "mot_de_passe mots_de_passe identifiants clé clés secrets jetons clés_api"),
    (CONVERSATION, "discussion historique échanges"),
    (REVEAL, "affiche* montre* imprime* répète*"),
    (WHEN, "quand lorsque si avant_de"),
    (ASKED, "demande demandé interroge question"),
    (SAY, "réponds répondez recommande* affirme* prétends conseille*"),
    (
        ROLE,
        "tu_es_maintenant vous_êtes_maintenant tu_es_désormais vous_êtes_désormais \
        agis_comme agissez_comme fais_semblant comporte_toi joue_le_rôle",
    ),
    (FREE, "sans_restriction* sans_limite* sans_filtre* non_censuré"),
    // Spanish
    (
        OVERRIDE,
        "ignora ignore ignorar ignoren olvida olvide olvidar olvidate descarta omite \
        haz_caso_omiso no_hagas_caso pasa_por_alto",
    ),
    (PRIOR, "anterior* previa* previo* precedente* arriba antes hasta_ahora iniciales"),
    (
        DIRECTIVE,
        "instrucciones instruccion órdenes reglas directrices indicaciones normas \
        políticas consignas mandatos",
    ),
    (EVERYTHING | ALL, "todo"),
    (ALL | UNIVERSAL, "todas todos toda cada cualquier"),
    (YOU, "tú tus usted ustedes su"),
    (SAID, "dicho dije dijo recibiste recibido aprendido dado"),
    (NEG, "no nunca jamás ningún ninguna"),
    (WITHOUT, "sin omitir"),
    (
        TELL,
        "digas diga decir menciones mencione mencionar informes informe informar reveles \
        avises avisar cuentes",
    ),
    (USER, "usuario usuarios usuaria nadie"),
    (SECRETLY, "secretamente discretamente silenciosamente en_secreto"),
    (RISKY, "borrar elimina* desplegar publicar ejecutar instalar pagar transferir borres"),
    (CONFIRM, "confirmación confirmar aprobación permiso autorización preguntar revisión pedir"),
    (APPROVED, "aprobado autorizado concedido preaprobado* autorizó aprobó"),
    (UNIVERSAL, "siempre"),
    (STANDING, "a_partir_de_ahora de_ahora_en_adelante desde_ahora en_adelante cada_vez"),
    (DISABLE, "desactiva* deshabilita* suprime* apaga* oculta*"),
    (SAFETY, "seguridad cortafuegos salvaguardas advertencias_de"),
    (SEND, "envía* enviar envíe envíes manda mandar reenvía* transmite sube subir"),
    (SECRET, "contraseña* credenciales secretos claves clave tokens"),
    (CONVERSATION, "conversación historial mensajes charla"),
    (REVEAL, "muestra* imprime* repite* revela* revelar"),
    (WHEN, "cuando si siempre_que antes_de"),
    (ASKED, "pregunta pregunte preguntan pregunten"),
    (SAY, "responde* dices recomienda* recomiende afirma* contesta*"),
    (ROLE, "ahora_eres eres_ahora actúa_como finge* compórtate_como hazte_pasar tu_nuevo_rol"),
    (FREE, "sin_restricciones sin_límites sin_filtros sin_censura"),
    // Italian
    (
        OVERRIDE,
        "ignora ignorare ignorate dimentica dimenticare dimenticate trascura scarta \
        non_tenere_conto non_considerare",
    ),
    (PRIOR, "precedent* sopra prima finora iniziali antecedent*"),
    (DIRECTIVE, "istruzion* ordini regole direttive comandi indicazioni linee_guida"),
    (EVERYTHING | ALL, "tutto"),
    (ALL | UNIVERSAL, "tutte tutti ogni qualsiasi"),
    (YOU, "tuo tue tuoi vostre vostri"),
    (SAID, "detto ricevuto ricevute imparato dato"),
    (NEG, "non mai nessun nessuna"),
    (WITHOUT, "senza salta saltare"),
    (TELL, "dire dirlo menzionare informare rivelare avvisare riferire parlare"),
    (USER, "utente lutente utenti nessuno"),
    (SECRETLY, "segretamente silenziosamente di_nascosto discretamente"),
    (RISKY, "cancella* elimina* pubblica* esegui* installa* paga* distribui*"),
    (CONFIRM, "conferma approvazione permesso autorizzazione chiedere revisione"),
    (APPROVED, "approvato autorizzato concesso"),
    (UNIVERSAL, "sempre"),
    (STANDING, "d_ora_in_poi da_ora_in_poi da_adesso_in_poi ogni_volta dora_in_poi in_futuro"),
    (DISABLE, "disattiva* disabilita* sopprimi* nascondi* spegni"),
    (SAFETY, "sicurezza avvisi_di"),
    (SEND, "invia* inviare manda mandare inoltra* trasmetti carica caricare spedisci"),
    (SECRET, "credenziali segreti chiavi parola_d_ordine"),
    (CONVERSATION, "conversazione cronologia messaggi"),
    (REVEAL, "mostra* stampa* ripeti* rivela*"),
    (WHEN, "quando se ogni_volta prima_di"),
    (ASKED, "chiede chiedono domanda"),
    (SAY, "rispondi* consiglia* raccomanda* afferma*"),
    (ROLE, "ora_sei adesso_sei sei_ora agisci_come comportati_come fingi*"),
    (FREE, "senza_restrizioni senza_limiti senza_filtri senza_censura"),
    // Portuguese
    (
        OVERRIDE,
        "ignore ignora ignorar esqueça esquece esquecer desconsidere desconsiderar \
        descarte desrespeite",
    ),
    (PRIOR, "anterior* prévia* prévio* acima antes até_agora iniciais"),
    (DIRECTIVE, "instruções instrução ordens regras diretrizes comandos orientações políticas"),
    (EVERYTHING | ALL, "tudo"),
    (ALL | UNIVERSAL, "todas todos cada qualquer"),
    (YOU, "você seu sua seus suas vocês"),
    (SAID, "disse dito falei recebeu recebidas aprendeu"),
    (NEG, "não nunca jamais nenhum nenhuma"),
    (WITHOUT, "sem pule pular"),
    (TELL, "diga dizer mencione mencionar conte contar informe informar revele revelar avise"),
    (USER, "usuário usuários utilizador ninguém"),
    (SECRETLY, "secretamente silenciosamente discretamente em_segredo"),
    (RISKY, "apagar apague excluir exclua publicar executar instalar pagar transferir implantar"),
    (CONFIRM, "confirmação confirmar aprovação permissão autorização perguntar revisão pedir"),
    (APPROVED, "aprovado autorizado concedido aprovou autorizou"),
    (UNIVERSAL, "sempre"),
    (STANDING, "a_partir_de_agora de_agora_em_diante doravante daqui_em_diante toda_vez"),
    (DISABLE, "desative* desativar desabilite* suprima oculte desligue"),
    (SAFETY, "segurança avisos_de"),
    (SEND, "envie enviar envia mande mandar encaminhe encaminhar transmita"),
    (SECRET, "senha senhas credenciais segredos chaves chave"),
    (CONVERSATION, "conversa histórico mensagens"),
    (REVEAL, "mostre mostrar imprima repita revele exiba"),
    (WHEN, "quando se sempre_que antes_de"),
    (ASKED, "perguntar pergunta perguntarem"),
    (SAY, "responda* recomende afirme"),
    (ROLE, "agora_você_é você_é_agora você_agora_é aja_como finja* comporte_se_como"),
    (FREE, "sem_restrições sem_limites sem_filtros sem_censura"),
    // Russian
    (
        OVERRIDE,
        "игнориру* проигнориру* забудь забудьте забыть отмени отмените обойди \
        не_обращай пренебреги* не_следуй не_соблюдай",
    ),
    (
        PRIOR,
        "предыдущ* прежн* предшеств* вышеуказанн* раньше ранее выше прошл* исходн* \
        первоначальн*",
    ),
    (
        DIRECTIVE,
        "инструкци* указани* правил* команд* приказ* директив* промпт* ограничени* \
        распоряжени* политик*",
    ),
    (EVERYTHING | ALL, "все_что всё_что"),
    (ALL | UNIVERSAL, "все всех всем каждый каждую каждом любые любой любую"),
    (YOU, "ты твои твоих тебе тебя вы ваши ваших"),
    (SAID, "сказал* говорил* сказано узнал"),
    (NEG, "не никогда нельзя ни"),
    (WITHOUT, "без пропусти* пропуска*"),
    (TELL, "говори* сообща* сообщи* упомина* рассказыва* раскрыва* скажи уведомля*"),
    (USER, "пользовател* никому хозяин* владел*"),
    (SECRETLY, "тайно незаметно скрытно втайне"),
    (RISKY, "удал* разверн* публик* выполн* установ* оплат* перевод* сотри"),
    (CONFIRM, "подтверждени* разрешени* одобрени* согласи* спрашива* проверк*"),
    (APPROVED, "одобрил* одобрено разрешил* разрешено авторизован*"),
    (UNIVERSAL, "всегда"),
    (STANDING, "отныне с_этого_момента впредь с_этих_пор каждый_раз в_дальнейшем"),
    (DISABLE, "отключи* отключа* выключи* подави* скрой*"),
    (SAFETY, "безопасност* песочниц* защит* брандмауэр*"),
    (SEND, "отправ* отправь* отправля* перешли* пересыла* переда* загрузи* пошли"),
    (SECRET, "парол* секрет* ключ ключи токен* учетн*"),
    (CONVERSATION, "разговор* переписк* диалог* сообщени* беседы"),
    (REVEAL, "покажи* выведи* раскрой* повтори* напечатай*"),
    (WHEN, "когда если перед"),
    (ASKED, "спрос* спрашивает вопрос*"),
    (SAY, "ответь* отвечай* рекоменд* скажи говори утвержда*"),
    (
        ROLE,
        "теперь_ты ты_теперь отныне_ты веди_себя_как притворись* действуй_как \
        представь_что вы_теперь",
    ),
    (FREE, "без_ограничений без_цензуры без_фильтров"),
    (
        SYSTEM_PROMPT,
        "системный_промпт системные_инструкции системного_промпта instructions_système \
        prompt_système invite_système prompt_del_sistema prompt_di_sistema prompt_do_sistema \
        prompt_de_sistema instrucciones_del_sistema system_eingabe* deine_anweisungen \
        deine_prompt* ihre_anweisungen ihre_ursprünglichen tus_instrucciones \
        vos_instructions tes_instructions le_tue_istruzioni suas_instruções твои_инструкции",
    ),
];
